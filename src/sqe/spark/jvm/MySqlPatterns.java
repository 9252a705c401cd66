package sqe.jvm;

import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.joda.time.DateTimeZone;
import org.joda.time.format.DateTimeFormatter;
import org.joda.time.format.DateTimeFormatterBuilder;

/** date_format and date_parse: patterns of MySQL, at a precision of milliseconds. */
public final class MySqlPatterns {
  private static final ConcurrentHashMap KNOWN = new ConcurrentHashMap();
  private static final int MOST_KNOWN = 500;
  /** Two digits of a year are 1970 to 2069. */
  private static final int PIVOT = 2020;

  private MySqlPatterns() {}

  public static UTF8String format(long wall, UTF8String pattern) {
    return UTF8String.fromString(of(pattern).print(JodaPatterns.millis(wall)));
  }

  public static long parse(UTF8String text, UTF8String pattern) {
    try {
      return of(pattern).parseMillis(text.toString()) * 1000;
    } catch (IllegalArgumentException wrong) {
      // Joda has kinds of its own of this exception.
      throw new IllegalArgumentException(wrong.getMessage());
    }
  }

  private static DateTimeFormatter of(UTF8String pattern) {
    String text = pattern.toString();
    DateTimeFormatter formatter = (DateTimeFormatter) KNOWN.get(text);
    if (formatter == null) {
      formatter = made(text).withLocale(Locale.ENGLISH).withZone(DateTimeZone.UTC);
      if (KNOWN.size() < MOST_KNOWN) {
        KNOWN.put(text, formatter);
      }
    }
    return formatter;
  }

  private static DateTimeFormatter made(String pattern) {
    if (pattern.length() == 0) {
      throw new IllegalArgumentException("both printing and parsing need a pattern; it is empty");
    }
    DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      char sign = pattern.charAt(i);
      if (sign != '%') {
        builder.appendLiteral(sign);
      } else if (++i == pattern.length()) {
        throw new IllegalArgumentException("the pattern ends with '%'");
      } else if (!date(builder, pattern.charAt(i)) && !time(builder, pattern.charAt(i))) {
        if ("DUuVwX".indexOf(pattern.charAt(i)) >= 0) {
          throw new IllegalArgumentException("%" + pattern.charAt(i) + " is not supported in a date format");
        }
        builder.appendLiteral(pattern.charAt(i));
      }
    }
    return builder.toFormatter();
  }

  private static boolean date(DateTimeFormatterBuilder builder, char letter) {
    switch (letter) {
      case 'a': builder.appendDayOfWeekShortText(); return true;
      case 'b': builder.appendMonthOfYearShortText(); return true;
      case 'c': builder.appendMonthOfYear(1); return true;
      case 'd': builder.appendDayOfMonth(2); return true;
      case 'e': builder.appendDayOfMonth(1); return true;
      case 'j': builder.appendDayOfYear(3); return true;
      case 'M': builder.appendMonthOfYearText(); return true;
      case 'm': builder.appendMonthOfYear(2); return true;
      case 'v': builder.appendWeekOfWeekyear(2); return true;
      case 'W': builder.appendDayOfWeekText(); return true;
      case 'x': builder.appendWeekyear(4, 4); return true;
      case 'Y': builder.appendYear(4, 4); return true;
      case 'y': builder.appendTwoDigitYear(PIVOT); return true;
      default: return false;
    }
  }

  private static boolean time(DateTimeFormatterBuilder builder, char letter) {
    switch (letter) {
      case 'f': builder.appendFractionOfSecond(6, 9); return true;
      case 'H': builder.appendHourOfDay(2); return true;
      case 'h':
      case 'I': builder.appendClockhourOfHalfday(2); return true;
      case 'i': builder.appendMinuteOfHour(2); return true;
      case 'k': builder.appendHourOfDay(1); return true;
      case 'l': builder.appendClockhourOfHalfday(1); return true;
      case 'p': builder.appendHalfdayOfDayText(); return true;
      case 'r':
        builder.appendClockhourOfHalfday(2).appendLiteral(':').appendMinuteOfHour(2).appendLiteral(':');
        builder.appendSecondOfMinute(2).appendLiteral(' ').appendHalfdayOfDayText();
        return true;
      case 'S':
      case 's': builder.appendSecondOfMinute(2); return true;
      case 'T':
        builder.appendHourOfDay(2).appendLiteral(':').appendMinuteOfHour(2).appendLiteral(':');
        builder.appendSecondOfMinute(2);
        return true;
      default: return false;
    }
  }
}
