package sqe.jvm;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.unsafe.types.UTF8String;

/** Moments in a zone. Spark's timestamps are instants; `at` says in which zone an expression wants to be read. */
public final class Zones {
  private static final ConcurrentHashMap KNOWN = new ConcurrentHashMap();
  private static final int MOST_KNOWN = 2000;

  private Zones() {}

  static ZoneId of(UTF8String name) {
    String text = name.toString();
    ZoneId zone = (ZoneId) KNOWN.get(text);
    if (zone == null) {
      zone = parsed(text);
      if (KNOWN.size() < MOST_KNOWN) {
        KNOWN.put(text, zone);
      }
    }
    return zone;
  }

  private static ZoneId parsed(String text) {
    ZoneId zone;
    try {
      zone = ZoneId.of(text);
    } catch (DateTimeException unknown) {
      throw new IllegalArgumentException("'" + text + "' is not a valid time zone");
    }
    if (zone instanceof ZoneOffset && Math.abs(((ZoneOffset) zone).getTotalSeconds()) > 14 * 3600) {
      throw new IllegalArgumentException("the offset of the time zone '" + text + "' is more than 14 hours");
    }
    return zone;
  }

  /** The name of a zone as Trino shows it. */
  public static UTF8String name(UTF8String zone) {
    return of(zone).equals(ZoneOffset.UTC) ? UTF8String.fromString("UTC") : zone;
  }

  /** The same instant; the zone is for whoever looks at the expression, see `Zoned`. */
  public static long at(long micros, UTF8String zone) {
    of(zone);
    return micros;
  }

  /** What a clock in the zone shows. */
  public static long wall(long micros, UTF8String zone) {
    return wall(micros, of(zone));
  }

  static long wall(long micros, ZoneId zone) {
    return micros + offset(micros, zone) * 1000000L;
  }

  /** Seconds east of Greenwich. */
  static int offset(long micros, ZoneId zone) {
    return zone.getRules().getOffset(Instant.ofEpochSecond(Math.floorDiv(micros, 1000000L))).getTotalSeconds();
  }

  public static long offsetHour(long micros, UTF8String zone) {
    return offset(micros, of(zone)) / 3600;
  }

  public static long offsetMinute(long micros, UTF8String zone) {
    return offset(micros, of(zone)) / 60 % 60;
  }

  /** The instant at which a clock in the zone shows this; a gap is jumped over, the first of two is taken. */
  public static long instant(long wall, UTF8String zone) {
    return instant(wall, of(zone));
  }

  static long instant(long wall, ZoneId zone) {
    long seconds = Math.floorDiv(wall, 1000000L);
    LocalDateTime local = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    return ZonedDateTime.of(local, zone).toEpochSecond() * 1000000L + Math.floorMod(wall, 1000000L);
  }

  /** `+05:30` from 330 minutes. */
  public static UTF8String offsetName(long minutes) {
    if (Math.abs(minutes) > 14 * 60) {
      throw new IllegalArgumentException("the offset of a time zone is at most 14 hours");
    }
    long size = Math.abs(minutes);
    String hours = (minutes < 0 ? "-" : "+") + (size < 600 ? "0" : "") + size / 60;
    return UTF8String.fromString(hours + (size % 60 < 10 ? ":0" : ":") + size % 60);
  }
}
