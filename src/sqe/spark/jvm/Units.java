package sqe.jvm;

import org.apache.spark.unsafe.types.UTF8String;

/** The units that date_add, date_diff and date_trunc know, in order of length. */
final class Units {
  static final int MILLISECOND = 0;
  static final int SECOND = 1;
  static final int MINUTE = 2;
  static final int HOUR = 3;
  static final int DAY = 4;
  static final int WEEK = 5;
  static final int MONTH = 6;
  static final int QUARTER = 7;
  static final int YEAR = 8;
  private static final String[] NAMES =
      new String[] {"millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"};
  static final long[] MICROS =
      new long[] {1000L, 1000000L, 60000000L, 3600000000L, 86400000000L, 604800000000L};
  // A unit is nearly always a constant, so the last answer is right again for the next row.
  private static volatile Object[] last = new Object[2];

  private Units() {}

  static int of(UTF8String name, int from, int to, String type) {
    int unit = of(name);
    if (unit < from || unit > to) {
      throw new IllegalArgumentException("'" + name + "' is not a valid " + type + " field");
    }
    return unit;
  }

  private static int of(UTF8String name) {
    Object[] known = last;
    if (known[0] == name) {
      return ((Integer) known[1]).intValue();
    }
    String text = name.toString().toLowerCase(java.util.Locale.ENGLISH);
    for (int i = 0; i < NAMES.length; i++) {
      if (NAMES[i].equals(text)) {
        last = new Object[] {name, Integer.valueOf(i)};
        return i;
      }
    }
    return -1;
  }
}
