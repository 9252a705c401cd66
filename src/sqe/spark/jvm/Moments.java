package sqe.jvm;

import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.unsafe.types.UTF8String;

/** Times with fewer digits; the types of Spark's have six of them always, or cut instead of rounding. */
public final class Moments {
  private static final Pattern ZONED =
      Pattern.compile(" *([+-]?\\d+-\\d+-\\d+) +(?:(\\d+:\\d+) *)?([+-]\\d\\d:\\d\\d|[A-Za-z][\\w/+-]*) *");
  private static final long DAY = 86400000000000L;

  private Moments() {}

  /** A timestamp, in microseconds. */
  public static long timestamp(long micros, int digits) {
    return rounded(micros, 6 - digits);
  }

  /** A time of day, in nanoseconds; after the last moment of a day comes its first. */
  public static long time(long nanos, int digits) {
    return rounded(nanos, 9 - digits) % DAY;
  }

  /** A timestamp with so many digits of a second, however many of them are zeros. */
  public static UTF8String text(long micros, UTF8String digits) {
    LocalDateTime moment = LocalDateTime.ofEpochSecond(Math.floorDiv(micros, 1000000L), 0, ZoneOffset.UTC);
    return UTF8String.fromString(
        moment.toLocalDate() + " " + clock(moment.toLocalTime()) + fraction(Math.floorMod(micros, 1000000L), digits));
  }

  /** The same of a time of day, in nanoseconds. */
  public static UTF8String timeText(long nanos, UTF8String digits) {
    String clock = clock(LocalTime.ofSecondOfDay(nanos / 1000000000L));
    return UTF8String.fromString(clock + fraction(nanos % 1000000000L / 1000, digits));
  }

  /** A timestamp with a zone, with the seconds and the time of day that it may have left out. */
  public static UTF8String withSeconds(UTF8String written) {
    Matcher parts = ZONED.matcher(written.toString());
    if (!parts.matches()) {
      return written;
    }
    String clock = parts.group(2) == null ? "00:00" : parts.group(2);
    return UTF8String.fromString(parts.group(1) + " " + clock + ":00 " + parts.group(3));
  }

  private static String clock(LocalTime time) {
    String text = time.toString();
    return text.length() == 5 ? text + ":00" : text;
  }

  static String fraction(long micros, UTF8String digits) {
    int count = Integer.parseInt(digits.toString());
    return count == 0 ? "" : "." + String.valueOf(1000000L + micros).substring(1, 1 + count);
  }

  private static long rounded(long value, int zeros) {
    long unit = 1;
    for (int i = 0; i < zeros; i++) {
      unit *= 10;
    }
    return Math.floorDiv(value + unit / 2, unit) * unit;
  }
}
