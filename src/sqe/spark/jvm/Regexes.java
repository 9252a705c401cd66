package sqe.jvm;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/** Regular expressions in Trino's flavor, by Java's. */
public final class Regexes {
  private static final PatternCache PATTERNS =
      new PatternCache() {
        Pattern compile(String pattern) {
          return compiled(pattern);
        }
      };
  private static final String[] CLASSES = {
    "alpha", "digit", "alnum", "upper", "lower", "punct", "space", "blank", "cntrl", "graph", "print", "xdigit"
  };
  private static final String[] JAVA_CLASSES = {
    "Alpha", "Digit", "Alnum", "Upper", "Lower", "Punct", "Space", "Blank", "Cntrl", "Graph", "Print", "XDigit"
  };

  private Regexes() {}

  private static Matcher matcher(UTF8String text, UTF8String pattern) {
    return PATTERNS.matcher(text, pattern);
  }

  static Pattern compiled(String pattern) {
    // Only \n ends a line; case is that of all letters; scripts have no "Is" in front; [:alpha:] is a class.
    String java = pattern.replaceAll("\\\\([pP])\\{\\^?(?!Is|In)(\\p{Lu}\\p{Ll}{3,})\\}", "\\\\$1{Is$2}");
    for (int i = 0; i < CLASSES.length; i++) {
      java = java.replace("[:" + CLASSES[i] + ":]", "\\p{" + JAVA_CLASSES[i] + "}");
      java = java.replace("\\p{Is" + JAVA_CLASSES[i] + "}", "\\p{" + JAVA_CLASSES[i] + "}");
    }
    try {
      return Pattern.compile(java, Pattern.UNIX_LINES | Pattern.UNICODE_CASE);
    } catch (PatternSyntaxException wrong) {
      throw new BadValue("not a regular expression: " + pattern + ": " + wrong.getDescription());
    }
  }

  /** The next match; never one inside a character that takes two units of Java's. */
  private static boolean next(Matcher matcher, UTF8String text) {
    while (matcher.find()) {
      int at = matcher.start();
      if (at != matcher.end() || at == 0 || !splitsCharacter(matcher, text, at)) {
        return true;
      }
    }
    return false;
  }

  private static boolean splitsCharacter(Matcher matcher, UTF8String text, int at) {
    if (text.isFullAscii()) {
      return false;
    }
    String whole = text.toString();
    return at < whole.length() && Character.isLowSurrogate(whole.charAt(at))
        && Character.isHighSurrogate(whole.charAt(at - 1));
  }

  public static boolean like(UTF8String text, UTF8String pattern) {
    return matcher(text, pattern).find();
  }

  private static void checkGroup(Matcher matcher, long group) {
    if (group < 0 || group > matcher.groupCount()) {
      throw new BadValue("the pattern has " + matcher.groupCount() + " groups; there is no group " + group);
    }
  }

  public static UTF8String extract(UTF8String text, UTF8String pattern, long group) {
    Matcher matcher = matcher(text, pattern);
    checkGroup(matcher, group);
    return next(matcher, text) ? UTF8String.fromString(matcher.group((int) group)) : null;
  }

  public static ArrayData extractAll(UTF8String text, UTF8String pattern, long group) {
    Matcher matcher = matcher(text, pattern);
    checkGroup(matcher, group);
    List found = new ArrayList();
    while (next(matcher, text)) {
      found.add(matcher.group((int) group));
    }
    return Splits.texts(found);
  }

  public static UTF8String replace(UTF8String text, UTF8String pattern, UTF8String by) {
    Matcher matcher = matcher(text, pattern);
    StringBuffer made = new StringBuffer();
    try {
      while (next(matcher, text)) {
        matcher.appendReplacement(made, by.toString());
      }
    } catch (IllegalArgumentException wrong) {
      throw new BadValue("not a replacement: " + by);
    } catch (IndexOutOfBoundsException wrong) {
      throw new BadValue("the replacement names a group that is not there: " + by);
    }
    matcher.appendTail(made);
    return UTF8String.fromString(made.toString());
  }

  /** What stands before each match; the rest after the last one comes last. */
  public static ArrayData split(UTF8String text, UTF8String pattern) {
    Matcher matcher = matcher(text, pattern);
    String whole = text.toString();
    List parts = new ArrayList();
    int from = 0;
    while (next(matcher, text)) {
      parts.add(whole.substring(from, matcher.start()));
      from = matcher.end();
    }
    parts.add(whole.substring(from));
    return Splits.texts(parts);
  }

  /** The groups of each match, for a function that makes the replacement. */
  public static ArrayData groups(UTF8String text, UTF8String pattern) {
    Matcher matcher = matcher(text, pattern);
    List matches = new ArrayList();
    while (next(matcher, text)) {
      List groups = new ArrayList();
      for (int i = 1; i <= matcher.groupCount(); i++) {
        groups.add(matcher.group(i));
      }
      matches.add(Splits.texts(groups));
    }
    return new GenericArrayData(matches.toArray());
  }

  public static long count(UTF8String text, UTF8String pattern) {
    Matcher matcher = matcher(text, pattern);
    long found = 0;
    while (next(matcher, text)) {
      found++;
    }
    return found;
  }

  public static int position(UTF8String text, UTF8String pattern, long start, long nth) {
    if (start < 1 || nth < 1) {
      throw new BadValue("regexp_position counts from 1");
    }
    Matcher matcher = matcher(text, pattern);
    String whole = text.toString();
    int size = text.numChars();
    if (start > size) {
      return -1;
    }
    int from = whole.offsetByCodePoints(0, (int) start - 1);
    long left = nth;
    while (next(matcher, text)) {
      if (matcher.start() >= from && --left == 0) {
        return whole.codePointCount(0, matcher.start()) + 1;
      }
    }
    return -1;
  }
}
