package sqe.jvm;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The narrowest type that all values of a column have. */
final class CsvTypes {
  /** Patterns of dates, the usual one first; where a day could be a month, the day comes first. */
  private static final String[] DATES = {
    "uuuu-MM-dd", "uuuu/MM/dd", "uuuu.MM.dd", "dd/MM/uuuu", "dd-MM-uuuu", "dd.MM.uuuu", "MM/dd/uuuu", "MM-dd-uuuu",
  };
  /** What begins with a zero and goes on is a name made of digits, such as a postal code. */
  private static final Pattern WHOLE = Pattern.compile("[+-]?(?:0|[1-9][0-9]{0,37})");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(?:(?:0|[1-9][0-9]*)(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");
  private static final Pattern DAY = Pattern.compile("[0-9]{2,4}[-/.][0-9]{2}[-/.][0-9]{2,4}");
  private static final Pattern MOMENT =
      Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,6})?)?");
  private static final Pattern ZONE = Pattern.compile("(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$");
  private static final Pattern TIME = Pattern.compile("[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,6})?");

  static final String TEXT = "$1";

  private CsvTypes() {}

  /** The template of the expression that makes a column's value of its text. */
  static String of(List values) {
    if (values.isEmpty()) {
      return TEXT;
    }
    if (all(values, new Kind("boolean"))) {
      return cast("BOOLEAN");
    }
    if (all(values, new Kind("bigint"))) {
      return cast("BIGINT");
    }
    if (all(values, new Kind("whole"))) {
      return cast("DECIMAL(38, 0)");
    }
    if (all(values, new Kind("number"))) {
      return cast("DOUBLE");
    }
    String day = day(values);
    if (day != null) {
      return day;
    }
    if (all(values, new Kind("moment"))) {
      return cast("TIMESTAMP_NTZ");
    }
    if (all(values, new Kind("instant"))) {
      return cast("TIMESTAMP_LTZ");
    }
    return all(values, new Kind("time")) ? cast("TIME(6)") : TEXT;
  }

  /** An empty text in quotes is none of these. */
  private static String cast(String type) {
    return "CAST(nullif(trim($1), '') AS " + type + ")";
  }

  private static String day(List values) {
    for (int i = 0; i < DATES.length; i++) {
      if (all(values, new Kind(DATES[i]))) {
        return i == 0 ? cast("DATE") : "to_date(nullif(trim($1), ''), '" + DATES[i].replace("uuuu", "yyyy") + "')";
      }
    }
    return null;
  }

  /** Whether a value fits a column that was made by a template of `of`. */
  static boolean fits(String value, String template) {
    List one = new ArrayList();
    one.add(value);
    String own = of(one);
    boolean narrower = template.endsWith("DOUBLE)") || own.endsWith("BIGINT)");
    return template.equals(TEXT) || own.equals(template) || (isNumber(own) && isNumber(template) && narrower);
  }

  private static boolean isNumber(String template) {
    return template.endsWith("BIGINT)") || template.endsWith("0))") || template.endsWith("DOUBLE)");
  }

  private static boolean all(List values, Kind kind) {
    for (int i = 0; i < values.size(); i++) {
      if (!kind.takes(((String) values.get(i)).trim())) {
        return false;
      }
    }
    return true;
  }

  private static final class Kind {
    private final String name;
    private final DateTimeFormatter day;

    Kind(String name) {
      this.name = name;
      boolean dated = name.indexOf("uuuu") >= 0;
      this.day = dated ? DateTimeFormatter.ofPattern(name).withResolverStyle(ResolverStyle.STRICT) : null;
    }

    boolean takes(String value) {
      if (day != null) {
        return DAY.matcher(value).matches() && isDay(value, day);
      }
      if (name.equals("boolean")) {
        return value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false");
      }
      if (name.equals("bigint")) {
        return WHOLE.matcher(value).matches() && isLong(value);
      }
      if (name.equals("whole")) {
        return WHOLE.matcher(value).matches();
      }
      if (name.equals("number")) {
        return NUMBER.matcher(value).matches();
      }
      if (name.equals("moment")) {
        return isMoment(value);
      }
      if (name.equals("instant")) {
        return ZONE.matcher(value).find() && isMoment(ZONE.matcher(value).replaceAll("").trim());
      }
      return TIME.matcher(value).matches() && value.compareTo("24") < 0;
    }

    private static boolean isMoment(String value) {
      return MOMENT.matcher(value).matches()
          && isDay(value.substring(0, 10), DateTimeFormatter.ISO_LOCAL_DATE)
          && value.substring(11).compareTo("24") < 0;
    }

    private static boolean isDay(String value, DateTimeFormatter format) {
      try {
        LocalDate.parse(value, format);
        return true;
      } catch (DateTimeException other) {
        return false;
      }
    }

    private static boolean isLong(String value) {
      try {
        Long.parseLong(value);
        return true;
      } catch (NumberFormatException large) {
        return false;
      }
    }
  }
}
