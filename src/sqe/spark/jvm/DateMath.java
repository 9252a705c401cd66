package sqe.jvm;

import java.time.LocalDate;
import java.time.ZoneId;
import org.apache.spark.unsafe.types.UTF8String;

/** date_add, date_diff and date_trunc: on days, on micros of a wall clock, on instants in a zone, on nanos of a day. */
public final class DateMath {
  private static final long DAY = 86400000000L;
  private static final long DAY_NANOS = 86400000000000L;

  private DateMath() {}

  public static int add(UTF8String unit, long count, int day) {
    return addDays(Units.of(unit, Units.DAY, Units.YEAR, "DATE"), count, day);
  }

  private static int addDays(int unit, long count, int day) {
    if (unit <= Units.WEEK) {
      return Math.toIntExact(Math.addExact((long) day, Math.multiplyExact(count, unit == Units.WEEK ? 7L : 1L)));
    }
    long months = Math.multiplyExact(count, unit == Units.MONTH ? 1L : unit == Units.QUARTER ? 3L : 12L);
    return Math.toIntExact(LocalDate.ofEpochDay(day).plusMonths(months).toEpochDay());
  }

  public static long add(UTF8String unit, long count, long micros) {
    return addWall(Units.of(unit, Units.MILLISECOND, Units.YEAR, "TIMESTAMP"), count, micros);
  }

  private static long addWall(int unit, long count, long micros) {
    if (unit <= Units.WEEK) {
      return Math.addExact(micros, Math.multiplyExact(count, Units.MICROS[unit]));
    }
    int day = addDays(unit, count, (int) Math.floorDiv(micros, DAY));
    return Math.addExact(Math.multiplyExact((long) day, DAY), Math.floorMod(micros, DAY));
  }

  public static long add(UTF8String unit, long count, long micros, UTF8String zoneName) {
    int kind = Units.of(unit, Units.MILLISECOND, Units.YEAR, "TIMESTAMP");
    if (kind < Units.DAY) {
      return addWall(kind, count, micros);
    }
    ZoneId zone = Zones.of(zoneName);
    return Zones.instant(addWall(kind, count, Zones.wall(micros, zone)), zone);
  }

  public static long addTime(UTF8String unit, long count, long nanos) {
    int kind = Units.of(unit, Units.MILLISECOND, Units.HOUR, "TIME");
    long size = Units.MICROS[kind] * 1000;
    return Math.floorMod(nanos + count % (DAY_NANOS / size) * size, DAY_NANOS);
  }

  /** Around midnight: a time of day has no day to carry into. */
  public static long addTime(long nanos, long micros) {
    return Math.floorMod(nanos + micros % DAY * 1000, DAY_NANOS);
  }

  public static long diff(UTF8String unit, int from, int to) {
    return diffWall(Units.of(unit, Units.DAY, Units.YEAR, "DATE"), from * DAY, to * DAY);
  }

  public static long diff(UTF8String unit, long from, long to) {
    return diffWall(Units.of(unit, Units.MILLISECOND, Units.YEAR, "TIMESTAMP"), from, to);
  }

  public static long diff(UTF8String unit, long from, long to, UTF8String zoneName) {
    int kind = Units.of(unit, Units.MILLISECOND, Units.YEAR, "TIMESTAMP");
    if (kind < Units.DAY) {
      return diffWall(kind, from, to);
    }
    ZoneId zone = Zones.of(zoneName);
    return diffWall(kind, Zones.wall(from, zone), Zones.wall(to, zone));
  }

  public static long diffTime(UTF8String unit, long from, long to) {
    int kind = Units.of(unit, Units.MILLISECOND, Units.HOUR, "TIME");
    return (to - from) / (Units.MICROS[kind] * 1000);
  }

  private static long diffWall(int unit, long from, long to) {
    if (unit <= Units.WEEK) {
      // Timestamps count in milliseconds here; what is finer is cut off before.
      return (Math.floorDiv(to, 1000L) - Math.floorDiv(from, 1000L)) / (Units.MICROS[unit] / 1000);
    }
    long months = months(from, to);
    return unit == Units.MONTH ? months : months / (unit == Units.QUARTER ? 3 : 12);
  }

  /** Whole months from one to the other; the last day of a month completes it. */
  private static long months(long from, long to) {
    if (to < from) {
      return -months(to, from);
    }
    LocalDate start = LocalDate.ofEpochDay(Math.floorDiv(from, DAY));
    LocalDate end = LocalDate.ofEpochDay(Math.floorDiv(to, DAY));
    long count = (end.getYear() - start.getYear()) * 12L + end.getMonthValue() - start.getMonthValue();
    LocalDate reached = start.plusMonths(count);
    boolean tooFar =
        reached.isAfter(end) || (reached.equals(end) && Math.floorMod(from, DAY) > Math.floorMod(to, DAY));
    return tooFar ? count - 1 : count;
  }

  public static int trunc(UTF8String unit, int day) {
    return truncDay(Units.of(unit, Units.DAY, Units.YEAR, "DATE"), day);
  }

  private static int truncDay(int unit, int day) {
    if (unit == Units.DAY) {
      return day;
    }
    LocalDate date = LocalDate.ofEpochDay(day);
    if (unit == Units.WEEK) {
      return day - (date.getDayOfWeek().getValue() - 1);
    }
    int month = date.getMonthValue();
    int first = unit == Units.MONTH ? month : unit == Units.QUARTER ? (month - 1) / 3 * 3 + 1 : 1;
    return (int) LocalDate.of(date.getYear(), first, 1).toEpochDay();
  }

  public static long trunc(UTF8String unit, long micros) {
    return truncWall(Units.of(unit, Units.MILLISECOND, Units.YEAR, "TIMESTAMP"), micros);
  }

  private static long truncWall(int unit, long micros) {
    if (unit <= Units.DAY) {
      return micros - Math.floorMod(micros, Units.MICROS[unit]);
    }
    return truncDay(unit, (int) Math.floorDiv(micros, DAY)) * DAY;
  }

  public static long trunc(UTF8String unit, long micros, UTF8String zoneName) {
    int kind = Units.of(unit, Units.MILLISECOND, Units.YEAR, "TIMESTAMP");
    ZoneId zone = Zones.of(zoneName);
    if (kind < Units.DAY) {
      // By the offset of this moment: the hour that comes twice stays the one it is.
      long offset = Zones.offset(micros, zone) * 1000000L;
      return truncWall(kind, micros + offset) - offset;
    }
    return Zones.instant(truncWall(kind, Zones.wall(micros, zone)), zone);
  }

  public static long truncTime(UTF8String unit, long nanos) {
    int kind = Units.of(unit, Units.MILLISECOND, Units.HOUR, "TIME");
    return nanos - nanos % (Units.MICROS[kind] * 1000);
  }

  /** A day with a duration added that must be whole days. */
  public static int addWholeDays(int day, long micros) {
    if (micros % DAY != 0) {
      throw new IllegalArgumentException("cannot add hours, minutes, seconds, or milliseconds to a date");
    }
    return Math.toIntExact(day + micros / DAY);
  }
}
