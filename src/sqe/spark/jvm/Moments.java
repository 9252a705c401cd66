package sqe.jvm;

/** Times with fewer digits; the types of Spark's have six of them always, or cut instead of rounding. */
public final class Moments {
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

  private static long rounded(long value, int zeros) {
    long unit = 1;
    for (int i = 0; i < zeros; i++) {
      unit *= 10;
    }
    return Math.floorDiv(value + unit / 2, unit) * unit;
  }
}
