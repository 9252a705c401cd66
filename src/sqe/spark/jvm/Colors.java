package sqe.jvm;

import java.util.Locale;
import org.apache.spark.unsafe.types.UTF8String;

/** Colors of a terminal. A color is text: `#rrggbb`, or one of the eight names that every terminal has. */
public final class Colors {
  private static final String[] NAMES = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
  private static final String RESET = "\u001b[0m";

  private Colors() {}

  private static int system(String color) {
    for (int i = 0; i < NAMES.length; i++) {
      if (NAMES[i].equals(color)) {
        return i;
      }
    }
    return -1;
  }

  public static UTF8String of(UTF8String text) {
    String color = text.toString().toLowerCase(Locale.ROOT);
    if (color.matches("#[0-9a-f]{3}")) {
      StringBuilder wide = new StringBuilder("#");
      for (int i = 1; i < 4; i++) {
        wide.append(color.charAt(i)).append(color.charAt(i));
      }
      color = wide.toString();
    } else if (!color.matches("#[0-9a-f]{6}") && system(color) < 0) {
      throw new BadValue("not a color: '" + text + "'; write #rgb, #rrggbb, or one of " + String.join(", ", NAMES));
    }
    return UTF8String.fromString(color);
  }

  public static UTF8String rgb(long red, long green, long blue) {
    if ((red | green | blue) < 0 || red > 255 || green > 255 || blue > 255) {
      throw new BadValue("the parts of a color are from 0 to 255");
    }
    return UTF8String.fromString(
        String.format("#%02x%02x%02x", new Object[] {Long.valueOf(red), Long.valueOf(green), Long.valueOf(blue)}));
  }

  private static int[] parts(String color) {
    if (!color.startsWith("#")) {
      throw new BadValue("a named color cannot be mixed; write it as #rrggbb");
    }
    int value = Integer.parseInt(color.substring(1), 16);
    return new int[] {value >> 16, value >> 8 & 255, value & 255};
  }

  /** Between two colors, along the circle of hues. */
  public static UTF8String between(double share, UTF8String low, UTF8String high) {
    int[] one = parts(low.toString());
    int[] other = parts(high.toString());
    double at = Math.min(1, Math.max(0, share));
    float[] from = java.awt.Color.RGBtoHSB(one[0], one[1], one[2], null);
    float[] to = java.awt.Color.RGBtoHSB(other[0], other[1], other[2], null);
    float[] mixed = new float[3];
    for (int i = 0; i < 3; i++) {
      mixed[i] = (float) (from[i] + (to[i] - from[i]) * at);
    }
    int value = java.awt.Color.HSBtoRGB(mixed[0], mixed[1], mixed[2]);
    return rgb(value >> 16 & 255, value >> 8 & 255, value & 255);
  }

  private static String start(String color) {
    int number = system(color);
    if (number < 0) {
      int[] parts = parts(color);
      number = 16 + 36 * (parts[0] * 6 / 256) + 6 * (parts[1] * 6 / 256) + parts[2] * 6 / 256;
    }
    return "\u001b[38;5;" + number + "m";
  }

  public static UTF8String render(UTF8String text, UTF8String color) {
    return UTF8String.fromString(start(color.toString()) + text + RESET);
  }

  public static UTF8String bar(double share, long width, UTF8String low, UTF8String high) {
    if (width < 0 || width > 10000) {
      throw new BadValue("the width of a bar is from 0 to 10000");
    }
    StringBuilder made = new StringBuilder();
    int full = (int) (Math.min(1, Math.max(0, share)) * width);
    for (int i = 0; i < full; i++) {
      made.append(start(between(width == 1 ? 1 : i / (double) (width - 1), low, high).toString())).append('█');
    }
    made.append(RESET);
    for (long i = full; i < width; i++) {
      made.append(' ');
    }
    return UTF8String.fromString(made.toString());
  }
}
