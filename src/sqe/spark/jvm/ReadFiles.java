package sqe.jvm;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** `read('csv', 'path', 'option', 'value', …)` after FROM: files as a table. */
final class ReadFiles extends AbstractFunction1 {
  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    Map options = new HashMap();
    for (int i = 2; i + 1 < arguments.length; i += 2) {
      options.put(text(arguments[i]), text(arguments[i + 1]));
    }
    SparkSession session = (SparkSession) SparkSession.active();
    Dataset files =
        (Dataset) session.read().format(text(arguments[0])).options(options).load(text(arguments[1]));
    return files.queryExecution().analyzed();
  }

  private static String text(Expression argument) {
    if (!argument.foldable()) {
      throw new WrongArguments("paths and options of files are plain texts");
    }
    return String.valueOf(argument.eval(null));
  }
}
