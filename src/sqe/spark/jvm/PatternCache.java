package sqe.jvm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.unsafe.types.UTF8String;

/** Compiled patterns of one flavor: a column mostly meets one pattern again and again. */
abstract class PatternCache {
  private static final int MANY = 500;
  private final ConcurrentHashMap compiled = new ConcurrentHashMap();

  abstract Pattern compile(String pattern);

  final Matcher matcher(UTF8String text, UTF8String pattern) {
    Pattern found = (Pattern) compiled.get(pattern);
    if (found == null) {
      if (compiled.size() > MANY) {
        compiled.clear();
      }
      found = compile(pattern.toString());
      compiled.put(pattern.copy(), found);
    }
    return found.matcher(text.toString());
  }
}
