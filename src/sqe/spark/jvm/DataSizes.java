package sqe.jvm;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** Sizes of data, and numbers without their fraction. */
public final class DataSizes {
  private static final Pattern SIZE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(B|[kMGTPEZY]B)");

  private DataSizes() {}

  /** `2.3MB` in bytes. */
  public static Decimal dataSize(UTF8String text) {
    Matcher matcher = SIZE.matcher(text.toString());
    if (!matcher.matches()) {
      throw new BadValue("not a size of data: '" + text + "'; the units are B, kB, MB, GB, TB, PB, EB, ZB and YB");
    }
    int power = " kMGTPEZY".indexOf(matcher.group(2).charAt(0));
    BigDecimal unit = BigDecimal.valueOf(1024).pow(Math.max(power, 0));
    BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(unit).setScale(0, RoundingMode.DOWN);
    if (bytes.precision() > 38) {
      throw new BadValue("too large a size of data: " + text);
    }
    return Decimal.apply(bytes, 38, 0);
  }

  /** Without its fraction; what is no bigint is the nearest one. */
  public static long whole(double value) {
    return (long) value;
  }
}
