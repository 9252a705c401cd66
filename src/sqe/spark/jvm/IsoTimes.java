package sqe.jvm;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import org.apache.spark.unsafe.types.UTF8String;
import org.joda.time.format.ISODateTimeFormat;

/** ISO 8601, Unix time, and durations in words. */
public final class IsoTimes {
  private static final DateTimeFormatter FULL = DateTimeFormatter.ISO_DATE_TIME;
  private static final String[] NAMES = new String[] {"week", "day", "hour", "minute", "second"};
  private static final long[] SECONDS = new long[] {604800L, 86400L, 3600L, 60L, 1L};

  private IsoTimes() {}

  public static int date(UTF8String text) {
    long millis = ISODateTimeFormat.dateElementParser().withZoneUTC().parseMillis(text.toString());
    return (int) Math.floorDiv(millis, 86400000L);
  }

  public static long timestamp(UTF8String text, UTF8String zone) {
    return 1000
        * ISODateTimeFormat.dateTimeParser().withZone(JodaPatterns.zone(zone)).parseMillis(text.toString());
  }

  /** With all digits of the fraction, as far as a timestamp has room for them. */
  public static long exactTimestamp(UTF8String text, UTF8String zone) {
    try {
      TemporalAccessor found = FULL.parse(text.toString());
      ZoneId own = (ZoneId) found.query(TemporalQueries.zone());
      LocalDateTime local = LocalDateTime.from(found);
      long second = local.atZone(own == null ? Zones.of(zone) : own).toEpochSecond();
      return second * 1000000L + local.getNano() / 1000;
    } catch (DateTimeException wrong) {
      throw new IllegalArgumentException("not a timestamp of ISO 8601: " + text);
    }
  }

  public static UTF8String write(int day) {
    String text = LocalDate.ofEpochDay(day).toString();
    return UTF8String.fromString(text.startsWith("+") ? text.substring(1) : text);
  }

  public static UTF8String write(long wall, UTF8String digits) {
    return UTF8String.fromString(written(wall, digits.toString()));
  }

  /** Seconds always; without a number of digits, three or six more where there are some. */
  private static String written(long wall, String count) {
    long second = Math.floorDiv(wall, 1000000L);
    int micros = (int) Math.floorMod(wall, 1000000L);
    String text = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC).toString();
    if (text.lastIndexOf(':') < text.indexOf('T') + 6) {
      text += second % 60 == 0 ? ":00" : "";
    }
    if (!count.equals("?")) {
      return text + Moments.fraction(micros, UTF8String.fromString(count));
    }
    if (micros == 0) {
      return text;
    }
    String digits = String.valueOf(1000000 + micros).substring(1);
    return text + "." + (micros % 1000 == 0 ? digits.substring(0, 3) : digits);
  }

  public static UTF8String write(long micros, UTF8String zoneName, UTF8String digits) {
    ZoneOffset offset = ZoneOffset.ofTotalSeconds(Zones.offset(micros, Zones.of(zoneName)));
    return UTF8String.fromString(written(micros + offset.getTotalSeconds() * 1000000L, digits.toString()) + offset.getId());
  }

  public static long fromUnix(double seconds) {
    if (Double.isNaN(seconds)) {
      return 0;
    }
    if (Math.abs(seconds) > 9.0e12) {
      throw new IllegalArgumentException("Unix time out of range: " + seconds);
    }
    return Math.round(seconds * 1000) * 1000;
  }

  public static UTF8String inWords(double seconds) {
    if (Double.isNaN(seconds) || Double.isInfinite(seconds)) {
      throw new IllegalArgumentException("invalid argument: " + seconds);
    }
    long left = Math.abs(Math.round(seconds));
    StringBuilder words = new StringBuilder();
    for (int i = 0; i < NAMES.length; i++) {
      long count = left / SECONDS[i];
      left %= SECONDS[i];
      if (count > 0) {
        words.append(words.length() == 0 ? "" : ", ").append(count).append(' ').append(NAMES[i]);
        words.append(count == 1 ? "" : "s");
      }
    }
    return UTF8String.fromString(words.length() == 0 ? "0 seconds" : words.toString());
  }

  /** `3.5 d` in microseconds, whole milliseconds. */
  public static long duration(UTF8String text) {
    java.util.regex.Matcher found =
        java.util.regex.Pattern.compile("\\s*(\\d+(?:\\.\\d+)?)\\s*(ns|us|ms|s|m|h|d)\\s*").matcher(text.toString());
    if (!found.matches()) {
      throw new IllegalArgumentException("duration is not a valid data duration string: " + text);
    }
    String unit = found.group(2);
    double millis = Double.parseDouble(found.group(1));
    if (unit.equals("ns")) {
      millis /= 1000000;
    } else if (unit.equals("us")) {
      millis /= 1000;
    } else if (!unit.equals("ms")) {
      millis *= unit.equals("s") ? 1000L : unit.equals("m") ? 60000L : unit.equals("h") ? 3600000L : 86400000L;
    }
    return Math.round(millis) * 1000;
  }
}
