package sqe.jvm;

/** Durations are microseconds in Spark, and whole milliseconds in Trino. */
public final class Intervals {
  private Intervals() {}

  public static long micros(long interval) {
    return interval;
  }

  /** Of two instants: a day with a change of the clock in it has not 24 hours. */
  public static long between(long later, long earlier) {
    return Math.subtractExact(later, earlier);
  }

  public static long wholeMillis(long interval) {
    return Math.floorDiv(interval, 1000L) * 1000;
  }
}
