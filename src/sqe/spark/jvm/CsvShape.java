package sqe.jvm;

import com.univocity.parsers.csv.CsvFormat;
import com.univocity.parsers.csv.CsvParser;
import com.univocity.parsers.csv.CsvParserSettings;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** How a CSV file is written: what was said about it, and for the rest what fits the sample best. */
final class CsvShape {
  private static final char[] DELIMITERS = {',', ';', '\t', '|'};
  private static final int MOST_ROWS = 20480;
  private static final int ROWS_FOR_SHAPE = 1000;

  String delimiter;
  String quote;
  String escape;
  String comment;
  /** The rows of the sample in this shape. */
  List rows;
  int columns;

  private CsvShape() {}

  /** `hint` is the delimiter that the file's name suggests. */
  static CsvShape of(FileSample sample, Map said, char hint) {
    CsvShape shape = new CsvShape();
    shape.comment = (String) said.get("comment");
    String delimiter = (String) said.get("delimiter");
    shape.quote = said.containsKey("quote") ? (String) said.get("quote") : likelyQuote(sample.text, delimiter);
    shape.escape = said.containsKey("escape") ? (String) said.get("escape") : likelyEscape(sample.text, shape.quote);
    shape.delimiter = delimiter != null ? delimiter : shape.likelyDelimiter(sample, hint);
    shape.rows = shape.parsed(sample, shape.delimiter, MOST_ROWS);
    shape.columns = usualLength(shape.rows);
    return shape;
  }

  boolean spansLines() {
    for (int i = 0; i < rows.size(); i++) {
      String[] row = (String[]) rows.get(i);
      for (int j = 0; j < row.length; j++) {
        if (row[j] != null && (row[j].indexOf('\n') >= 0 || row[j].indexOf('\r') >= 0)) {
          return true;
        }
      }
    }
    return false;
  }

  /** A single quote only where whole values stand in them and no double quote is to be seen. */
  private static String likelyQuote(String text, String delimiter) {
    if (text.indexOf('"') >= 0 || text.indexOf('\'') < 0) {
      return "\"";
    }
    String edge = delimiter == null ? "[,;\t|]" : Pattern.quote(delimiter);
    String[] lines = text.split("\r?\n|\r", 101);
    int quoted = 0;
    int plain = 0;
    // The header may stand there without quotes.
    for (int i = lines.length > 1 ? 1 : 0; i < Math.min(lines.length, 100); i++) {
      boolean is = lines[i].matches("(.*" + edge + ")?'[^']*'(" + edge + ".*)?");
      quoted += is ? 1 : 0;
      plain += is || lines[i].trim().length() == 0 ? 0 : 1;
    }
    return quoted > plain ? "'" : "\"";
  }

  /** A quote within quotes is written twice, unless backslashes stand before them. */
  private static String likelyEscape(String text, String quote) {
    if (quote.length() == 0) {
      return "";
    }
    String mark = Pattern.quote(quote);
    boolean twice = Pattern.compile("(?<!\\\\)" + mark + mark + "(?=[^,;\t|\r\n])").matcher(text).find();
    return text.indexOf("\\" + quote) >= 0 && !twice ? "\\" : quote;
  }

  private String likelyDelimiter(FileSample sample, char hint) {
    char best = hint;
    double bestFit = fit(sample, hint);
    // The name of the file counts unless it leads to one column or to rows of all lengths.
    if (bestFit >= 2) {
      return String.valueOf(hint);
    }
    for (int i = 0; i < DELIMITERS.length; i++) {
      double fit = fit(sample, DELIMITERS[i]);
      if (fit > bestFit) {
        best = DELIMITERS[i];
        bestFit = fit;
      }
    }
    return String.valueOf(best);
  }

  /** Up to 1 for how alike the rows are; 2 more and a bit for each column when they all are. */
  private double fit(FileSample sample, char delimiter) {
    List parsed = parsed(sample, String.valueOf(delimiter), ROWS_FOR_SHAPE);
    int usual = usualLength(parsed);
    if (usual < 2) {
      return 0;
    }
    int alike = 0;
    for (int i = 0; i < parsed.size(); i++) {
      alike += ((String[]) parsed.get(i)).length == usual ? 1 : 0;
    }
    double share = (double) alike / parsed.size();
    return share == 1.0 ? 2 + usual / 100000.0 : share;
  }

  private List parsed(FileSample sample, String delimiter, int most) {
    CsvParserSettings settings = new CsvParserSettings();
    CsvFormat format = (CsvFormat) settings.getFormat();
    format.setDelimiter(delimiter);
    format.setQuote(character(quote));
    format.setQuoteEscape(character(escape));
    format.setComment(character(comment));
    settings.setCommentProcessingEnabled(comment != null);
    settings.setLineSeparatorDetectionEnabled(true);
    settings.setIgnoreLeadingWhitespaces(false);
    settings.setIgnoreTrailingWhitespaces(false);
    settings.setMaxCharsPerColumn(-1);
    settings.setMaxColumns(20480);
    settings.setReadInputOnSeparateThread(false);
    List rows = new ArrayList();
    CsvParser parser = new CsvParser(settings);
    try {
      parser.beginParsing(new StringReader(sample.text));
      String[] row = parser.parseNext();
      while (row != null && rows.size() < most) {
        rows.add(row);
        row = parser.parseNext();
      }
    } catch (com.univocity.parsers.common.TextParsingException unfit) {
      return new ArrayList();
    }
    parser.stopParsing();
    boolean whole = !sample.cut || rows.size() == most;
    return whole || rows.size() < 2 ? rows : rows.subList(0, rows.size() - 1);
  }

  private static char character(String text) {
    return text == null || text.length() == 0 ? '\u0000' : text.charAt(0);
  }

  private static int usualLength(List rows) {
    Map counts = new HashMap();
    int usual = 0;
    for (int i = 0; i < rows.size(); i++) {
      Integer length = Integer.valueOf(((String[]) rows.get(i)).length);
      int count = counts.containsKey(length) ? ((Integer) counts.get(length)).intValue() + 1 : 1;
      counts.put(length, Integer.valueOf(count));
      int best = usual == 0 ? 0 : ((Integer) counts.get(Integer.valueOf(usual))).intValue();
      usual = count > best || (count == best && length.intValue() > usual) ? length.intValue() : usual;
    }
    return usual;
  }
}
