package sqe.jvm;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.Normalizer;
import java.util.Locale;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** Text functions that Spark has no expression for, or another idea of. */
public final class Texts {
  private static final String[] UNITS = {"", "K", "M", "B", "T", "Q"};

  private Texts() {}

  /** A double as Trino writes it: 1.5E0, -0E0, NaN, Infinity. */
  public static UTF8String ofDouble(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return UTF8String.fromString(String.valueOf(value));
    }
    if (value == 0) {
      return UTF8String.fromString(1 / value < 0 ? "-0E0" : "0E0");
    }
    return UTF8String.fromString(scientific(new BigDecimal(Double.toString(value))));
  }

  /** A real shows seven digits at most. */
  public static UTF8String ofFloat(float value) {
    if (Float.isNaN(value) || Float.isInfinite(value) || value == 0) {
      return ofDouble(value);
    }
    BigDecimal exact = new BigDecimal(Float.toString(value));
    return UTF8String.fromString(scientific(exact.round(new MathContext(7, RoundingMode.HALF_DOWN))));
  }

  private static String scientific(BigDecimal value) {
    BigDecimal exact = value.stripTrailingZeros();
    String digits = exact.unscaledValue().abs().toString();
    int exponent = exact.precision() - exact.scale() - 1;
    return (exact.signum() < 0 ? "-" : "") + digits.charAt(0) + "."
        + (digits.length() == 1 ? "0" : digits.substring(1)) + "E" + exponent;
  }

  public static UTF8String chr(long code) {
    if (code < 0 || code > Character.MAX_CODE_POINT || (code >= 0xD800 && code <= 0xDFFF)) {
      throw new BadValue("not a Unicode code point: " + code);
    }
    return UTF8String.fromString(new String(Character.toChars((int) code)));
  }

  public static int codepoint(UTF8String value) {
    String text = value.toString();
    if (text.isEmpty() || text.codePointCount(0, text.length()) != 1) {
      throw new BadValue("codepoint takes one character, not '" + text + "'");
    }
    return text.codePointAt(0);
  }

  /** Letter by letter: a text never changes its length, so the German sharp s stays as it is. */
  public static UTF8String lower(UTF8String value) {
    if (value.isFullAscii()) {
      return value.toLowerCase();
    }
    int[] codes = value.toString().codePoints().toArray();
    for (int i = 0; i < codes.length; i++) {
      codes[i] = Character.toLowerCase(codes[i]);
    }
    return ofCodes(codes);
  }

  public static UTF8String upper(UTF8String value) {
    if (value.isFullAscii()) {
      return value.toUpperCase();
    }
    int[] codes = value.toString().codePoints().toArray();
    for (int i = 0; i < codes.length; i++) {
      codes[i] = Character.toUpperCase(codes[i]);
    }
    return ofCodes(codes);
  }

  static UTF8String ofCodes(int[] codes) {
    return UTF8String.fromString(new String(codes, 0, codes.length));
  }

  /** Takes characters off one end or both; without a list of them, white space. */
  public static UTF8String trim(UTF8String value, UTF8String unwanted, boolean left, boolean right) {
    String text = value.toString();
    String marks = unwanted == null ? null : unwanted.toString();
    int from = 0;
    int to = text.length();
    while (left && from < to && unwanted(text.codePointAt(from), marks)) {
      from += Character.charCount(text.codePointAt(from));
    }
    while (right && from < to && unwanted(text.codePointBefore(to), marks)) {
      to -= Character.charCount(text.codePointBefore(to));
    }
    return UTF8String.fromString(text.substring(from, to));
  }

  public static UTF8String trimSpace(UTF8String value, boolean left, boolean right) {
    return trim(value, null, left, right);
  }

  private static boolean unwanted(int code, String marks) {
    return marks == null ? Character.isWhitespace(code) : marks.indexOf(code) >= 0;
  }

  public static UTF8String pad(UTF8String value, long size, UTF8String filling, boolean left) {
    int[] codes = value.toString().codePoints().toArray();
    int[] pads = filling.toString().codePoints().toArray();
    int missing = padding(size, codes.length, pads.length);
    int[] made = new int[(int) size];
    int start = left ? Math.max(missing, 0) : 0;
    System.arraycopy(codes, 0, made, start, Math.min(codes.length, made.length));
    for (int i = 0; i < missing; i++) {
      made[left ? i : codes.length + i] = pads[i % pads.length];
    }
    return ofCodes(made);
  }

  /** How many characters are missing; refuses what cannot be padded. */
  static int padding(long size, int present, int pads) {
    if (size < 0 || size > Integer.MAX_VALUE) {
      throw new BadValue("the length to pad to must be from 0 to 2147483647, not " + size);
    }
    if (pads == 0) {
      throw new BadValue("there is nothing to pad with: the text is empty");
    }
    return (int) size - present;
  }

  public static UTF8String replace(UTF8String value, UTF8String search, UTF8String by) {
    if (search.numBytes() > 0) {
      return value.replace(search, by);
    }
    StringBuilder made = new StringBuilder(by.toString());
    int[] codes = value.toString().codePoints().toArray();
    for (int i = 0; i < codes.length; i++) {
      made.appendCodePoint(codes[i]).append(by.toString());
    }
    return UTF8String.fromString(made.toString());
  }

  public static UTF8String substr(UTF8String value, long start, long length) {
    int size = value.numChars();
    long from = start > 0 ? start - 1 : size + start;
    if (start == 0 || from < 0 || from >= size || length <= 0) {
      return UTF8String.EMPTY_UTF8;
    }
    return value.substring((int) from, (int) (from + Math.min(length, size - from)));
  }

  /** The place of the n-th occurrence, counted from the end when n is negative; occurrences may overlap. */
  public static long strpos(UTF8String value, UTF8String part, long nth) {
    if (nth == 0) {
      throw new BadValue("strpos counts occurrences from 1, or from -1 backwards");
    }
    String text = value.toString();
    String wanted = part.toString();
    if (wanted.isEmpty()) {
      return 1;
    }
    int at = nth > 0 ? text.indexOf(wanted) : text.lastIndexOf(wanted);
    for (long left = Math.abs(nth); left > 1 && at >= 0; left--) {
      at = nth > 0 ? text.indexOf(wanted, at + 1) : at == 0 ? -1 : text.lastIndexOf(wanted, at - 1);
    }
    return at < 0 ? 0 : text.codePointCount(0, at) + 1;
  }

  public static UTF8String translate(UTF8String value, UTF8String from, UTF8String to) {
    String wanted = from.toString();
    int[] fillings = to.toString().codePoints().toArray();
    StringBuilder made = new StringBuilder();
    int[] codes = value.toString().codePoints().toArray();
    for (int i = 0; i < codes.length; i++) {
      int at = wanted.indexOf(codes[i]);
      int number = at < 0 ? -1 : wanted.codePointCount(0, at);
      if (number < 0) {
        made.appendCodePoint(codes[i]);
      } else if (number < fillings.length) {
        made.appendCodePoint(fillings[number]);
      }
    }
    return UTF8String.fromString(made.toString());
  }

  public static long hamming(UTF8String one, UTF8String other) {
    int[] left = one.toString().codePoints().toArray();
    int[] right = other.toString().codePoints().toArray();
    if (left.length != right.length) {
      throw new BadValue("hamming_distance takes two texts of the same length");
    }
    long different = 0;
    for (int i = 0; i < left.length; i++) {
      different += left[i] == right[i] ? 0 : 1;
    }
    return different;
  }

  public static boolean luhn(UTF8String value) {
    String text = value.toString();
    int sum = 0;
    for (int i = text.length() - 1, odd = 0; i >= 0; i--, odd ^= 1) {
      char digit = text.charAt(i);
      if (digit < '0' || digit > '9') {
        throw new BadValue("luhn_check takes digits only");
      }
      int part = (digit - '0') << odd;
      sum += part > 9 ? part - 9 : part;
    }
    return !text.isEmpty() && sum % 10 == 0;
  }

  public static UTF8String soundex(UTF8String value) {
    try {
      return UTF8String.fromString(new org.apache.commons.codec.language.Soundex().soundex(value.toString()));
    } catch (IllegalArgumentException unmapped) {
      throw new BadValue("soundex knows the letters A to Z only");
    }
  }

  public static UTF8String normalize(UTF8String value, UTF8String form) {
    try {
      return UTF8String.fromString(Normalizer.normalize(value.toString(), Normalizer.Form.valueOf(form.toString())));
    } catch (IllegalArgumentException unknown) {
      throw new BadValue("normalize knows the forms NFC, NFD, NFKC and NFKD");
    }
  }

  public static UTF8String ofUtf8(byte[] bytes, UTF8String replacement) {
    String filling = replacement.toString();
    if (filling.codePointCount(0, filling.length()) > 1) {
      throw new BadValue("the replacement in from_utf8 is one character or none");
    }
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT);
    ByteBuffer input = ByteBuffer.wrap(bytes);
    CharBuffer output = CharBuffer.allocate(bytes.length + 1);
    StringBuilder made = new StringBuilder();
    while (true) {
      CoderResult result = decoder.decode(input, output, true);
      output.flip();
      made.append(output);
      output.clear();
      if (!result.isError()) {
        return UTF8String.fromString(made.toString());
      }
      made.append(filling);
      input.position(input.position() + result.length());
    }
  }

  /** The text of a value that is no text itself has to fit. */
  public static UTF8String fitted(UTF8String value, int size, boolean attempt) {
    if (value.numChars() <= size) {
      return value;
    }
    if (attempt) {
      return null;
    }
    throw new BadValue("'" + value + "' does not fit into varchar(" + size + ")");
  }

  /** 123456 is 123K: three digits at most, and a unit. */
  public static UTF8String shortNumber(Decimal number) {
    BigDecimal value = number.toJavaBigDecimal();
    int unit = 0;
    while (value.abs().compareTo(BigDecimal.valueOf(1000)) >= 0 && unit < UNITS.length - 1) {
      value = value.movePointLeft(3);
      unit++;
    }
    BigDecimal size = value.abs();
    String pattern = size.compareTo(BigDecimal.TEN) < 0 ? "#.##" : size.compareTo(BigDecimal.valueOf(100)) < 0 ? "#.#" : "#";
    DecimalFormat format = new DecimalFormat(pattern, DecimalFormatSymbols.getInstance(Locale.US));
    format.setRoundingMode(RoundingMode.HALF_UP);
    return UTF8String.fromString(format.format(value) + UNITS[unit]);
  }
}
