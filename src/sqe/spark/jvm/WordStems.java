package sqe.jvm;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;
import org.tartarus.snowball.SnowballProgram;

/** Stems of words, by the stemmers of Snowball that Lucene ships. */
public final class WordStems {
  private static final Map CLASSES = classes();
  /** Stemmers are slow to make and cannot be shared: each thread has one of each language that it needs. */
  private static final ThreadLocal MADE = new ThreadLocal();

  private WordStems() {}

  private static Map classes() {
    String[] names = {
      "ca", "Catalan", "da", "Danish", "de", "German2", "en", "English", "es", "Spanish", "eu", "Basque",
      "fi", "Finnish", "fr", "French", "hu", "Hungarian", "hy", "Armenian", "ir", "Irish", "it", "Italian",
      "lt", "Lithuanian", "nl", "Dutch", "no", "Norwegian", "pt", "Portuguese", "ro", "Romanian", "ru", "Russian",
      "sv", "Swedish", "tr", "Turkish"
    };
    Map made = new HashMap();
    for (int i = 0; i < names.length; i += 2) {
      made.put(names[i], "org.tartarus.snowball.ext." + names[i + 1] + "Stemmer");
    }
    return made;
  }

  public static UTF8String stem(UTF8String word, UTF8String language) {
    SnowballProgram stemmer = stemmer(language.toString());
    stemmer.setCurrent(word.toString());
    return stemmer.stem() ? UTF8String.fromString(stemmer.getCurrent()) : word;
  }

  private static SnowballProgram stemmer(String language) {
    Map made = (Map) MADE.get();
    if (made == null) {
      made = new HashMap();
      MADE.set(made);
    }
    SnowballProgram stemmer = (SnowballProgram) made.get(language);
    if (stemmer == null) {
      String name = (String) CLASSES.get(language);
      if (name == null) {
        throw new BadValue("there is no stemmer for the language '" + language + "'");
      }
      try {
        stemmer = (SnowballProgram) Class.forName(name).getDeclaredConstructor().newInstance();
      } catch (ReflectiveOperationException impossible) {
        throw new IllegalStateException(impossible);
      }
      made.put(language, stemmer);
    }
    return stemmer;
  }
}
