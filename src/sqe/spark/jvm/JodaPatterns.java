package sqe.jvm;

import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.joda.time.DateTime;
import org.joda.time.DateTimeZone;
import org.joda.time.format.DateTimeFormat;
import org.joda.time.format.DateTimeFormatter;

/** format_datetime and parse_datetime: patterns of Joda-Time, at its precision of milliseconds. */
public final class JodaPatterns {
  private static final ConcurrentHashMap KNOWN = new ConcurrentHashMap();
  private static final int MOST_KNOWN = 500;

  private JodaPatterns() {}

  private static DateTimeFormatter of(UTF8String pattern) {
    String text = pattern.toString();
    DateTimeFormatter formatter = (DateTimeFormatter) KNOWN.get(text);
    if (formatter == null) {
      if (text.length() == 0) {
        throw new IllegalArgumentException("invalid pattern specification: it is empty");
      }
      formatter = DateTimeFormat.forPattern(text).withLocale(Locale.ENGLISH).withOffsetParsed();
      if (KNOWN.size() < MOST_KNOWN) {
        KNOWN.put(text, formatter);
      }
    }
    return formatter;
  }

  static long millis(long micros) {
    return Math.floorDiv(micros + 500, 1000L);
  }

  static DateTimeZone zone(UTF8String name) {
    String text = name.toString();
    return DateTimeZone.forID(text.equals("Z") || text.equals("Etc/UTC") ? "UTC" : text);
  }

  public static UTF8String format(long wall, UTF8String pattern) {
    if (showsZone(pattern.toString())) {
      throw new IllegalArgumentException("the pattern shows a time zone, and the timestamp has none");
    }
    return UTF8String.fromString(of(pattern).withZone(DateTimeZone.UTC).print(millis(wall)));
  }

  public static UTF8String format(long micros, UTF8String pattern, UTF8String zone) {
    return UTF8String.fromString(of(pattern).withZone(zone(zone)).print(millis(micros)));
  }

  /** A letter for the zone outside of quotes. */
  private static boolean showsZone(String pattern) {
    boolean quoted = false;
    for (int i = 0; i < pattern.length(); i++) {
      char sign = pattern.charAt(i);
      quoted = quoted != (sign == '\'');
      if (!quoted && (sign == 'z' || sign == 'Z')) {
        return true;
      }
    }
    return false;
  }

  public static long parse(UTF8String text, UTF8String pattern, UTF8String zone) {
    DateTimeFormatter formatter = of(pattern);
    // What has no zone of its own in the text is in the zone of the session.
    try {
      DateTime local = formatter.withZone(zone(zone)).parseDateTime(text.toString());
      return local.getMillis() * 1000;
    } catch (IllegalArgumentException wrong) {
      // Joda has kinds of its own of this exception.
      throw new IllegalArgumentException(wrong.getMessage());
    }
  }
}
