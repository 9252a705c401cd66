package sqe.jvm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.None$;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/**
 * CSV files as a table. Shape, header and types come from the beginning of the first file. Spark reads texts; casts
 * above them make the values, so that one that does not fit is an error and not a NULL.
 */
final class CsvFiles {
  private static final int SAMPLE_BYTES = 4 << 20;
  /** Up to here a file is read in one piece anyway, and line breaks within quotes need no look ahead. */
  private static final long ONE_PIECE = 8L << 20;

  private final Map said;
  private final CsvShape shape;
  private final Pattern nulls;
  private final List names = new ArrayList();
  private final List templates = new ArrayList();
  private boolean header;
  private boolean renamed;

  private CsvFiles(Map said, CsvShape shape) {
    this.said = said;
    this.shape = shape;
    try {
      nulls = said.containsKey("null_regex") ? Pattern.compile((String) said.get("null_regex")) : null;
    } catch (PatternSyntaxException wrong) {
      throw new WrongArguments("null_regex is no regular expression: " + wrong.getDescription());
    }
  }

  static LogicalPlan read(SparkSession session, FileSet files, Configuration conf, Map said, Map spark)
      throws IOException {
    FileStatus first = files.first();
    FileSample sample = FileSample.of(files.system(), first, conf, SAMPLE_BYTES);
    CsvShape shape = CsvShape.of(sample, said, hint(first.getPath().getName().toLowerCase()));
    CsvFiles csv = new CsvFiles(said, shape);
    csv.look();
    csv.settings(spark, first.getLen() <= ONE_PIECE || shape.spansLines());
    Dataset texts =
        (Dataset) session.read().format("csv").schema(csv.texts()).options(spark).load(files.paths());
    return csv.typed(texts.queryExecution().analyzed());
  }

  private static char hint(String name) {
    String plain = name.replaceAll("\\?.*", "").replaceAll("\\.(gz|bz2|xz|zst|zip)$", "");
    return plain.endsWith(".tsv") ? '\t' : plain.endsWith(".psv") ? '|' : plain.endsWith(".ssv") ? ';' : ',';
  }

  private void look() {
    List rows = shape.rows;
    if (rows.isEmpty()) {
      throw new WrongArguments("there are no rows and no header in the file");
    }
    boolean known = said.containsKey("header");
    List body = rows.subList(known && !saidHeader() ? 0 : 1, rows.size());
    int count = Math.max(shape.columns, ((String[]) rows.get(0)).length);
    for (int i = 0; i < count; i++) {
      templates.add("true".equals(said.get("all_varchar")) ? CsvTypes.TEXT : CsvTypes.of(values(body, i)));
    }
    header = known ? saidHeader() : looksLikeHeader((String[]) rows.get(0), rows.size());
    if (!known && !header) {
      // The first row is one like the others and has a say in the types.
      for (int i = 0; i < count; i++) {
        templates.set(i, CsvTypes.of(values(rows, i)));
      }
    }
    name((String[]) rows.get(0), count);
  }

  private boolean saidHeader() {
    return "true".equals(said.get("header"));
  }

  /** Texts above columns of something else, or a first row of nothing but texts. */
  private boolean looksLikeHeader(String[] row, int rows) {
    boolean onlyTexts = true;
    for (int i = 0; i < row.length; i++) {
      if (row[i] == null || row[i].trim().length() == 0) {
        continue;
      }
      List one = new ArrayList();
      one.add(row[i]);
      String template = (String) templates.get(i);
      onlyTexts = onlyTexts && CsvTypes.of(one).equals(CsvTypes.TEXT);
      if (rows > 1 && !CsvTypes.fits(row[i], template)) {
        return true;
      }
    }
    return onlyTexts && new HashSet(java.util.Arrays.asList(row)).size() == row.length;
  }

  private void name(String[] row, int count) {
    Set taken = new HashSet();
    for (int i = 0; i < count; i++) {
      String written = header && i < row.length && row[i] != null ? row[i].trim() : "";
      String name = written.length() == 0 ? "column" + i : written;
      for (int again = 1; !taken.add(name.toLowerCase()); again++) {
        name = (written.length() == 0 ? "column" + i : written) + "_" + again;
      }
      renamed = renamed || i >= row.length || !name.equals(row[i]);
      names.add(name);
    }
  }

  private List values(List rows, int column) {
    List values = new ArrayList();
    String none = (String) said.get("null");
    for (int i = 0; i < rows.size(); i++) {
      String[] row = (String[]) rows.get(i);
      String value = column < row.length ? row[column] : null;
      boolean missing = value == null || value.trim().length() == 0 || value.equals(none);
      if (!missing && (nulls == null || !nulls.matcher(value).find())) {
        values.add(value);
      }
    }
    return values;
  }

  private void settings(Map spark, boolean inOnePiece) {
    spark.put("sep", shape.delimiter);
    spark.put("quote", shape.quote.length() == 0 ? "\u0000" : shape.quote);
    spark.put("escape", shape.escape.length() == 0 ? "\u0000" : shape.escape);
    spark.put("header", String.valueOf(header));
    // Files under other headers must not be taken for this one; names of ours stand in no file.
    spark.put("enforceSchema", String.valueOf(renamed));
    spark.put("multiLine", String.valueOf(inOnePiece));
    // A row with too many or too few values is not to be mended in silence.
    spark.put("mode", "FAILFAST");
    if (shape.comment != null && shape.comment.length() > 0) {
      spark.put("comment", shape.comment);
    }
    if (said.containsKey("null")) {
      spark.put("nullValue", said.get("null"));
    }
  }

  private StructType texts() {
    StructField[] fields = new StructField[names.size()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = new StructField((String) names.get(i), DataTypes.StringType, true, Metadata.empty());
    }
    return new StructType(fields);
  }

  private LogicalPlan typed(LogicalPlan texts) {
    List columns = new ArrayList();
    int at = 0;
    for (scala.collection.Iterator output = texts.output().iterator(); output.hasNext(); at++) {
      NamedExpression column = (NamedExpression) output.next();
      // Columns beyond those of the file are its folders.
      boolean plain = at >= templates.size() || (nulls == null && templates.get(at).equals(CsvTypes.TEXT));
      columns.add(plain ? column : named(value((Expression) column, (String) templates.get(at)), column.name()));
    }
    return new Project((Seq) scala.jdk.javaapi.CollectionConverters.asScala(columns).toSeq(), texts);
  }

  private Expression value(Expression text, String template) {
    Expression known = text;
    if (nulls != null) {
      Expression pattern = Literal.create(nulls.pattern(), DataTypes.StringType);
      known = TypedFunction.filled("if($1 RLIKE $2, NULL, $1)", new Expression[] {text, pattern});
    }
    return template.equals(CsvTypes.TEXT) ? known : TypedFunction.filled(template, new Expression[] {known});
  }

  private static NamedExpression named(Expression value, String name) {
    return new Alias(
        value, name, NamedExpression.newExprId(), (Seq) (Object) Nil$.MODULE$, (scala.Option) (Object) None$.MODULE$,
        (Seq) (Object) Nil$.MODULE$);
  }
}
