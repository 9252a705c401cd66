package sqe.jvm;

import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.UTF8StringBuilder;
import org.apache.spark.unsafe.types.UTF8String;

/** LISTAGG, whose texts have at most so many bytes, as in Trino. */
public final class JoinedTexts {
  private static final int MOST = 1048576;

  private JoinedTexts() {}

  public static UTF8String bounded(UTF8String text) {
    if (text.numBytes() > MOST) {
      throw new BadValue(
          "the result of LISTAGG is longer than " + MOST + " bytes; ON OVERFLOW TRUNCATE would cut it");
    }
    return text;
  }

  /** As many texts as there is room for; instead of the others stand a filler and, if wanted, their number. */
  public static UTF8String joined(ArrayData texts, UTF8String separator, UTF8String filler, boolean counted) {
    UTF8StringBuilder made = new UTF8StringBuilder();
    long size = 0;
    int omitted = 0;
    boolean first = true;
    for (int i = 0; i < texts.numElements(); i++) {
      if (texts.isNullAt(i)) {
        continue;
      }
      UTF8String text = texts.getUTF8String(i);
      long more = text.numBytes() + (first ? 0L : separator.numBytes());
      if (omitted > 0 || size + more > MOST) {
        omitted++;
        continue;
      }
      if (!first) {
        made.append(separator);
      }
      made.append(text);
      size += more;
      first = false;
    }
    if (omitted > 0) {
      made.append(separator);
      made.append(filler);
      if (counted) {
        made.append("(" + omitted + ")");
      }
    }
    return first && omitted == 0 ? null : made.build();
  }
}
