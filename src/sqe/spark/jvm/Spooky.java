package sqe.jvm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** SpookyHash, second version, with seed 0. */
public final class Spooky {
  private static final long FILLER = 0xDEADBEEFDEADBEEFL;
  private static final int LONG = 192;
  private static final int BLOCK = 96;
  private static final int[] SHORT_TURNS = {50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36};
  private static final int[] SHORT_LAST_TURNS = {15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63};
  private static final int[] TURNS = {11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46};
  private static final int[] LAST_TURNS = {44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54};

  private Spooky() {}

  public static byte[] hash64(byte[] value) {
    return ByteBuffer.allocate(8).putLong(hash(value)).array();
  }

  public static byte[] hash32(byte[] value) {
    return ByteBuffer.allocate(4).putInt((int) hash(value)).array();
  }

  private static long hash(byte[] value) {
    return value.length < LONG ? ofShort(value) : ofLong(value);
  }

  private static long ofShort(byte[] value) {
    ByteBuffer data = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    long[] s = {0, 0, FILLER, FILLER};
    while (data.remaining() >= 32) {
      s[2] += data.getLong();
      s[3] += data.getLong();
      shortMix(s);
      s[0] += data.getLong();
      s[1] += data.getLong();
    }
    if (data.remaining() >= 16) {
      s[2] += data.getLong();
      s[3] += data.getLong();
      shortMix(s);
    }
    s[3] += (long) value.length << 56;
    if (data.remaining() == 0) {
      s[2] += FILLER;
      s[3] += FILLER;
    } else {
      ByteBuffer rest = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
      rest.put(data);
      s[2] += rest.getLong(0);
      s[3] += rest.getLong(8);
    }
    for (int i = 0; i < SHORT_LAST_TURNS.length; i++) {
      int to = (i + 3) % 4;
      int from = (i + 2) % 4;
      s[to] ^= s[from];
      s[from] = Long.rotateLeft(s[from], SHORT_LAST_TURNS[i]);
      s[to] += s[from];
    }
    return s[0];
  }

  private static void shortMix(long[] s) {
    for (int i = 0; i < SHORT_TURNS.length; i++) {
      int one = (i + 2) % 4;
      s[one] = Long.rotateLeft(s[one], SHORT_TURNS[i]) + s[(i + 3) % 4];
      s[i % 4] ^= s[one];
    }
  }

  private static long ofLong(byte[] value) {
    long[] s = new long[12];
    for (int i = 2; i < 12; i += 3) {
      s[i] = FILLER;
    }
    ByteBuffer data = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    while (data.remaining() >= BLOCK) {
      for (int i = 0; i < 12; i++) {
        s[i] += data.getLong();
        s[(i + 2) % 12] ^= s[(i + 10) % 12];
        s[(i + 11) % 12] ^= s[i];
        s[i] = Long.rotateLeft(s[i], TURNS[i]);
        s[(i + 11) % 12] += s[(i + 1) % 12];
      }
    }
    byte[] rest = Arrays.copyOf(Arrays.copyOfRange(value, data.position(), value.length), BLOCK);
    rest[BLOCK - 1] = (byte) data.remaining();
    ByteBuffer last = ByteBuffer.wrap(rest).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 12; i++) {
      s[i] += last.getLong();
    }
    for (int i = 0; i < 36; i++) {
      int at = i % 12;
      s[(at + 11) % 12] += s[(at + 1) % 12];
      s[(at + 2) % 12] ^= s[(at + 11) % 12];
      s[(at + 1) % 12] = Long.rotateLeft(s[(at + 1) % 12], LAST_TURNS[at]);
    }
    return s[0];
  }
}
