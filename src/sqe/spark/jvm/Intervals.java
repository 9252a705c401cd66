package sqe.jvm;

/** Durations are microseconds in Spark, and whole milliseconds in Trino. */
public final class Intervals {
  private Intervals() {}

  public static long micros(long interval) {
    return interval;
  }

  public static long wholeMillis(long interval) {
    return Math.floorDiv(interval, 1000L) * 1000;
  }
}
