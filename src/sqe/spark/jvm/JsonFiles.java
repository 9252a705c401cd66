package sqe.jvm;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.SparkSession;
import scala.collection.immutable.Seq;

/**
 * JSON files as a table: an object for each line, or one array of objects. The types come from all rows, since a field
 * may first be seen in the last one; the columns are in the order of the file.
 */
final class JsonFiles {
  private static final int SAMPLE_BYTES = 1 << 18;

  private JsonFiles() {}

  static LogicalPlan read(SparkSession session, FileSet files, Configuration conf, Map said, Map spark)
      throws IOException {
    FileSample sample = FileSample.of(files.system(), files.first(), conf, SAMPLE_BYTES);
    String format = (String) said.get("format");
    boolean lines = format == null ? isLines(sample) : format.equals("newline_delimited");
    spark.put("multiLine", String.valueOf(!lines));
    spark.put("mode", "FAILFAST");
    return inOrder(ReadFiles.load(session, "json", files, spark).queryExecution().analyzed(), names(sample));
  }

  /** Whether the first value is an object that ends on the line on which it begins. */
  private static boolean isLines(FileSample sample) {
    String text = sample.text.trim();
    if (!text.startsWith("{")) {
      return !text.startsWith("[");
    }
    int end = text.indexOf('\n');
    String line = end < 0 ? text : text.substring(0, end);
    try {
      JsonParser parser = new JsonFactory().createParser(line);
      parser.nextToken();
      parser.skipChildren();
      return parser.currentToken() == JsonToken.END_OBJECT;
    } catch (IOException unfinished) {
      // A line longer than the sample; a file of such lines is more likely than one such object.
      return end < 0 && sample.cut;
    }
  }

  /** The names of the fields in the order in which they appear. */
  private static Set names(FileSample sample) {
    Set names = new LinkedHashSet();
    try {
      JsonParser parser = new JsonFactory().createParser(sample.text);
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.START_OBJECT) {
          while (parser.nextToken() == JsonToken.FIELD_NAME) {
            names.add(parser.currentName());
            parser.nextToken();
            parser.skipChildren();
          }
        }
      }
    } catch (IOException end) {
      // The sample breaks off somewhere.
    }
    return names;
  }

  private static LogicalPlan inOrder(LogicalPlan rows, Set names) {
    List left = new ArrayList();
    for (scala.collection.Iterator output = rows.output().iterator(); output.hasNext(); ) {
      left.add(output.next());
    }
    List columns = new ArrayList();
    for (Iterator wanted = names.iterator(); wanted.hasNext(); ) {
      Object name = wanted.next();
      for (Iterator candidates = left.iterator(); candidates.hasNext(); ) {
        Object column = candidates.next();
        if (((NamedExpression) column).name().equals(name)) {
          columns.add(column);
          candidates.remove();
        }
      }
    }
    columns.addAll(left);
    return new Project((Seq) scala.jdk.javaapi.CollectionConverters.asScala(columns).toSeq(), rows);
  }
}
