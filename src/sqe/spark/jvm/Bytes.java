package sqe.jvm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.commons.codec.binary.Base32;
import org.apache.commons.codec.digest.MurmurHash3;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Functions on bytes: parts, encodings, hashes. */
public final class Bytes {
  private Bytes() {}

  public static byte[] substr(byte[] value, long start, long length) {
    long from = start > 0 ? start - 1 : value.length + start;
    if (start == 0 || from < 0 || from >= value.length || length <= 0) {
      return new byte[0];
    }
    return Arrays.copyOfRange(value, (int) from, (int) (from + Math.min(length, value.length - from)));
  }

  public static byte[] reverse(byte[] value) {
    byte[] made = new byte[value.length];
    for (int i = 0; i < made.length; i++) {
      made[i] = value[value.length - 1 - i];
    }
    return made;
  }

  public static byte[] pad(byte[] value, long size, byte[] filling, boolean left) {
    int missing = Texts.padding(size, value.length, filling.length);
    byte[] made = new byte[(int) size];
    System.arraycopy(value, 0, made, left ? Math.max(missing, 0) : 0, Math.min(value.length, made.length));
    for (int i = 0; i < missing; i++) {
      made[left ? i : value.length + i] = filling[i % filling.length];
    }
    return made;
  }

  public static byte[] ofHex(UTF8String text) {
    String digits = text.toString();
    byte[] made = new byte[digits.length() / 2];
    for (int i = 0; i < digits.length(); i++) {
      int digit = Character.digit(digits.charAt(i), 16);
      if (digit < 0 || digits.length() % 2 != 0) {
        throw new BadValue("not bytes in hexadecimal: " + digits);
      }
      made[i / 2] = (byte) (made[i / 2] << 4 | digit);
    }
    return made;
  }

  public static UTF8String toBase64(byte[] value, boolean url) {
    return UTF8String.fromBytes((url ? Base64.getUrlEncoder() : Base64.getEncoder()).encode(value));
  }

  public static byte[] ofBase64(UTF8String text, boolean url) {
    try {
      return (url ? Base64.getUrlDecoder() : Base64.getDecoder()).decode(text.getBytes());
    } catch (IllegalArgumentException wrong) {
      throw new BadValue("not bytes in base 64: " + text);
    }
  }

  public static UTF8String toBase32(byte[] value) {
    return UTF8String.fromString(new Base32().encodeToString(value));
  }

  public static byte[] ofBase32(UTF8String text) {
    String digits = text.toString().replaceAll("=+$", "");
    int rest = digits.length() % 8;
    if (!digits.matches("[A-Z2-7]*") || rest == 1 || rest == 3 || rest == 6) {
      throw new BadValue("not bytes in base 32: " + text);
    }
    return new Base32().decode(digits);
  }

  public static byte[] xxhash64(byte[] value) {
    long hash = XXH64.hashUnsafeBytes(value, Platform.BYTE_ARRAY_OFFSET, value.length, 0L);
    return ByteBuffer.allocate(8).putLong(hash).array();
  }

  public static byte[] murmur3(byte[] value) {
    long[] hash = MurmurHash3.hash128x64(value, 0, value.length, 0);
    return ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(hash[0]).putLong(hash[1]).array();
  }

  public static long crc32(byte[] value) {
    CRC32 sum = new CRC32();
    sum.update(value);
    return sum.getValue();
  }

  public static byte[] hmac(UTF8String algorithm, byte[] value, byte[] key) {
    if (key.length == 0) {
      throw new BadValue("the key is empty");
    }
    try {
      Mac mac = Mac.getInstance(algorithm.toString());
      mac.init(new SecretKeySpec(key, algorithm.toString()));
      return mac.doFinal(value);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  public static byte[] ofInt(int value) {
    return ByteBuffer.allocate(4).putInt(value).array();
  }

  public static byte[] ofLong(long value) {
    return ByteBuffer.allocate(8).putLong(value).array();
  }

  public static byte[] ofReal(float value) {
    return ofInt(Float.floatToIntBits(value));
  }

  public static byte[] ofDouble(double value) {
    return ofLong(Double.doubleToLongBits(value));
  }

  public static int toInt(byte[] value) {
    return sized(value, 4).getInt();
  }

  public static long toLong(byte[] value) {
    return sized(value, 8).getLong();
  }

  public static float toReal(byte[] value) {
    return sized(value, 4).getFloat();
  }

  public static double toDouble(byte[] value) {
    return sized(value, 8).getDouble();
  }

  private static ByteBuffer sized(byte[] value, int size) {
    if (value.length != size) {
      throw new BadValue("this takes " + size + " bytes, not " + value.length);
    }
    return ByteBuffer.wrap(value);
  }
}
