package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Inline;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.None$;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * UNNEST: arrays and maps side by side, as many rows as the longest has. An array of rows gives a column per field, a
 * map gives two.
 */
final class Unnest extends AbstractFunction1 {
  private final boolean ordinality;

  Unnest(boolean ordinality) {
    this.ordinality = ordinality;
  }

  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    StringBuilder arrays = new StringBuilder();
    StringBuilder fields = new StringBuilder();
    for (int i = 0; i < arguments.length; i++) {
      arrays.append(i == 0 ? "" : ", ").append(elements(i + 1, arguments[i]));
      fields(fields, i, arguments[i]);
    }
    if (ordinality) {
      fields.append(", bigint(sqe_n + 1) AS ordinality");
    }
    String rows =
        "transform(arrays_zip(" + arrays + "), (sqe_e, sqe_n) -> struct(" + fields.substring(2) + "))";
    Expression values = TypedFunction.filled(rows, arguments);
    return new Generate(
        new Inline(values), Nil$.MODULE$, false, (scala.Option) (Object) None$.MODULE$, Nil$.MODULE$,
        new OneRowRelation());
  }

  private static String elements(int number, Expression argument) {
    if (argument.dataType() instanceof MapType) {
      return "coalesce(map_entries($" + number + "), array())";
    }
    if (argument.dataType() instanceof ArrayType) {
      return "coalesce($" + number + ", array())";
    }
    throw new WrongArguments("UNNEST takes arrays and maps, not " + Kinds.nameOf(argument.dataType()));
  }

  private static void fields(StringBuilder fields, int number, Expression argument) {
    String element = "sqe_e.`" + number + "`";
    if (argument.dataType() instanceof MapType) {
      fields.append(", ").append(element).append(".key AS k").append(number);
      fields.append(", ").append(element).append(".value AS v").append(number);
    } else if (((ArrayType) argument.dataType()).elementType() instanceof StructType) {
      StructField[] inner = ((StructType) ((ArrayType) argument.dataType()).elementType()).fields();
      for (int i = 0; i < inner.length; i++) {
        String name = inner[i].name().replace("`", "``");
        fields.append(", ").append(element).append(".`").append(name).append("` AS `").append(name).append("`");
      }
    } else {
      fields.append(", ").append(element).append(" AS c").append(number);
    }
  }
}
