package sqe.jvm;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/** `replaced(row, others)`: the row with the fields of the others in the places of those of the same names. */
final class ReplaceFields extends AbstractFunction1 {
  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    StructField[] fields = ((StructType) arguments[0].dataType()).fields();
    StructField[] others = ((StructType) arguments[1].dataType()).fields();
    List parts = new ArrayList();
    Set used = new HashSet();
    for (int i = 0; i < fields.length; i++) {
      int other = place(others, fields[i].name());
      used.add(Integer.valueOf(other));
      parts.add(Literal$.MODULE$.apply(fields[i].name()));
      parts.add(
          other < 0
              ? new GetStructField(arguments[0], i, Option.empty())
              : new GetStructField(arguments[1], other, Option.empty()));
    }
    for (int i = 0; i < others.length; i++) {
      if (!used.contains(Integer.valueOf(i))) {
        throw new WrongArguments("* REPLACE: there is no column " + others[i].name());
      }
    }
    return new CreateNamedStruct(CollectionConverters.asScala(parts).toSeq());
  }

  private static int place(StructField[] fields, String name) {
    for (int i = 0; i < fields.length; i++) {
      if (fields[i].name().equalsIgnoreCase(name)) {
        return i;
      }
    }
    return -1;
  }
}
