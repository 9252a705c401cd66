package sqe.jvm;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * `text SIMILAR TO pattern` of the SQL standard: the pattern fits the whole text, `%` and `_` are as in LIKE, and
 * `| * + ? { } ( ) [ ]` as in regular expressions; a backslash takes the meaning away from the sign after it.
 */
public final class SimilarTo {
  private static final PatternCache PATTERNS =
      new PatternCache() {
        Pattern compile(String pattern) {
          return compiled(pattern);
        }
      };
  private static final String QUOTED = ".^$";

  private SimilarTo() {}

  public static boolean matches(UTF8String text, UTF8String pattern) {
    return PATTERNS.matcher(text, pattern).matches();
  }

  static Pattern compiled(String pattern) {
    StringBuilder java = new StringBuilder();
    boolean inSet = false;
    for (int i = 0; i < pattern.length(); i++) {
      char sign = pattern.charAt(i);
      if (sign == '\\') {
        i++;
        if (i == pattern.length()) {
          throw new BadValue("SIMILAR TO: the pattern ends with a backslash");
        }
        java.append(Pattern.quote(String.valueOf(pattern.charAt(i))));
      } else if (inSet) {
        inSet = sign != ']';
        java.append(sign == '[' || sign == '&' ? "\\" + sign : String.valueOf(sign));
      } else if (sign == '[') {
        inSet = true;
        java.append(sign);
      } else if (sign == '%') {
        java.append(".*");
      } else if (sign == '_') {
        java.append('.');
      } else if (QUOTED.indexOf(sign) >= 0) {
        java.append('\\').append(sign);
      } else {
        java.append(sign);
      }
    }
    try {
      return Pattern.compile(java.toString(), Pattern.DOTALL);
    } catch (PatternSyntaxException wrong) {
      throw new BadValue("SIMILAR TO: not a pattern: " + pattern + ": " + wrong.getDescription());
    }
  }
}
