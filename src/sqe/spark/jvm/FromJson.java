package sqe.jvm;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/** `from_json(x, 'ARRAY<INT>')`: a cast from JSON. In the type, VARIANT stands for JSON, which stays text. */
final class FromJson extends AbstractFunction1 {
  private final boolean attempt;

  FromJson(boolean attempt) {
    this.attempt = attempt;
  }

  public Object apply(Object children) {
    Seq arguments = (Seq) children;
    Expression json = (Expression) arguments.apply(0);
    DataType wanted = DataType.fromDDL(((Expression) arguments.apply(1)).eval(null).toString());
    DataType made = visible(wanted);
    if (json.dataType() instanceof NullType) {
      return new Literal(null, made);
    }
    List values = new ArrayList();
    values.add(json);
    values.add(new Literal(UTF8String.fromString(wanted.json()), StringType$.MODULE$));
    values.add(new Literal(Boolean.valueOf(attempt), BooleanType$.MODULE$));
    return new StaticInvoke(
        JsonCasts.class, made, method(wanted), (Seq) CollectionConverters.asScala(values).toSeq(), Nil$.MODULE$, true,
        true, true, Option.empty());
  }

  private static String method(DataType type) {
    if (type instanceof ArrayType) {
      return "toArray";
    }
    if (type instanceof MapType) {
      return "toMap";
    }
    if (type instanceof StructType) {
      return "toRow";
    }
    String kind = Kinds.nameOf(type);
    String[] kinds = {
      "boolean", "toBoolean", "tinyint", "toByte", "smallint", "toShort", "integer", "toInteger", "bigint", "toLong",
      "real", "toFloat", "double", "toDouble", "decimal", "toDecimal", "varchar", "toText", "variant", "toText"
    };
    for (int i = 0; i < kinds.length; i += 2) {
      if (kinds[i].equals(kind)) {
        return kinds[i + 1];
      }
    }
    throw new WrongArguments("JSON cannot be cast to " + TypeNames.name(type));
  }

  /** The type that the plan sees: JSON is text there. */
  private static DataType visible(DataType type) {
    if (type instanceof ArrayType) {
      return new ArrayType(visible(((ArrayType) type).elementType()), true);
    }
    if (type instanceof MapType) {
      return new MapType(visible(((MapType) type).keyType()), visible(((MapType) type).valueType()), true);
    }
    if (type instanceof StructType) {
      StructField[] fields = new StructField[((StructType) type).length()];
      for (int i = 0; i < fields.length; i++) {
        StructField field = ((StructType) type).fields()[i];
        fields[i] = new StructField(field.name(), visible(field.dataType()), true, field.metadata());
      }
      return new StructType(fields);
    }
    return Kinds.nameOf(type).equals("variant") ? StringType$.MODULE$ : type;
  }
}
