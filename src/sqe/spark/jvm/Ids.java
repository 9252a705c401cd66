package sqe.jvm;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.apache.spark.unsafe.types.UTF8String;

/** Identifiers that are text here: UUIDs, network addresses, object ids of MongoDB. */
public final class Ids {
  private static final Pattern UUID_FORM = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  private static final Pattern V4_FORM =
      Pattern.compile("((25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(\\.(?!$)|$)){4}");

  private Ids() {}

  private static UTF8String refused(boolean attempt, String what, Object value) {
    if (attempt) {
      return null;
    }
    throw new BadValue("not " + what + ": " + value);
  }

  public static UTF8String uuid(UTF8String text, boolean attempt) {
    String value = text.toString();
    if (!UUID_FORM.matcher(value).matches()) {
      return refused(attempt, "a UUID", value);
    }
    return UTF8String.fromString(value.toLowerCase(Locale.ROOT));
  }

  public static UTF8String uuidOfBytes(byte[] bytes, boolean attempt) {
    if (bytes.length != 16) {
      return refused(attempt, "the 16 bytes of a UUID", bytes.length + " bytes");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return UTF8String.fromString(new UUID(buffer.getLong(), buffer.getLong()).toString());
  }

  public static byte[] uuidBytes(UTF8String text) {
    UUID id = UUID.fromString(text.toString());
    return ByteBuffer.allocate(16).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
  }

  /** The bytes of an address; null when it is none. Never asks the network: names have no colon and no such digits. */
  private static InetAddress address(String text) {
    boolean six = text.indexOf(':') >= 0 && text.matches("[0-9a-fA-F:.]+");
    if (!six && !V4_FORM.matcher(text).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException wrong) {
      return null;
    }
  }

  public static UTF8String address(UTF8String text, boolean attempt) {
    InetAddress address = address(text.toString());
    return address == null
        ? refused(attempt, "an IP address", text) : UTF8String.fromString(written(address.getAddress()));
  }

  public static UTF8String addressOfBytes(byte[] bytes, boolean attempt) {
    try {
      return UTF8String.fromString(written(InetAddress.getByAddress(bytes).getAddress()));
    } catch (UnknownHostException wrong) {
      return refused(attempt, "the bytes of an IP address", bytes.length + " bytes");
    }
  }

  /** Always 16 bytes: an address of four is mapped. */
  public static byte[] addressBytes(UTF8String text) {
    byte[] bytes = address(text.toString()).getAddress();
    if (bytes.length == 16) {
      return bytes;
    }
    byte[] mapped = new byte[16];
    mapped[10] = (byte) 0xFF;
    mapped[11] = (byte) 0xFF;
    System.arraycopy(bytes, 0, mapped, 12, 4);
    return mapped;
  }

  /** In its short form: the longest run of zeros is left out. */
  private static String written(byte[] bytes) {
    if (bytes.length == 4) {
      return (bytes[0] & 255) + "." + (bytes[1] & 255) + "." + (bytes[2] & 255) + "." + (bytes[3] & 255);
    }
    int start = -1;
    int longest = 1;
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = (bytes[2 * i] & 255) << 8 | bytes[2 * i + 1] & 255;
    }
    for (int i = 0; i < 8; i++) {
      int end = i;
      while (end < 8 && groups[end] == 0) {
        end++;
      }
      if (end - i > longest) {
        start = i;
        longest = end - i;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == start) {
        text.append("::");
        i += longest - 1;
      } else {
        text.append(i > 0 && i != start + longest ? ":" : "").append(Integer.toHexString(groups[i]));
      }
    }
    return text.toString();
  }

  /** Whether an address lies in a network: `contains('10.0.0.0/8', address)`. */
  public static boolean inNetwork(UTF8String network, UTF8String text) {
    String[] parts = network.toString().split("/", -1);
    InetAddress base = parts.length == 2 && parts[1].matches("[0-9]{1,3}") ? address(parts[0]) : null;
    InetAddress address = address(text.toString());
    int size = base == null ? -1 : Integer.parseInt(parts[1]);
    if (base == null || address == null || size > base.getAddress().length * 8) {
      throw new BadValue("not a network and an address: " + network + ", " + text);
    }
    byte[] left = base.getAddress();
    byte[] right = address.getAddress();
    boolean same = left.length == right.length;
    for (int i = 0; same && i < size; i++) {
      same = ((left[i / 8] ^ right[i / 8]) >> (7 - i % 8) & 1) == 0;
    }
    return same;
  }

  public static UTF8String objectId(UTF8String text) {
    String value = text.toString().replace(" ", "");
    if (!value.matches("[0-9a-fA-F]{24}")) {
      throw new BadValue("not an object id of 24 digits in hexadecimal: " + text);
    }
    return UTF8String.fromString(value.toLowerCase(Locale.ROOT));
  }

  public static UTF8String newObjectId(long seconds) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return UTF8String.fromString(
        String.format("%08x%016x", new Object[] {Integer.valueOf((int) seconds), Long.valueOf(random.nextLong())}));
  }

  public static UTF8String objectIdOf(long micros) {
    int seconds = (int) Math.floorDiv(micros, 1000000L);
    return UTF8String.fromString(String.format("%08x%016x", new Object[] {Integer.valueOf(seconds), Long.valueOf(0)}));
  }

  /** In microseconds. */
  public static long objectIdTime(UTF8String text) {
    return Long.parseLong(objectId(text).toString().substring(0, 8), 16) * 1000000L;
  }
}
