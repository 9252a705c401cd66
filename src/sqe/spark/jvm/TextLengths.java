package sqe.jvm;

import org.apache.spark.sql.catalyst.expressions.ArraysZip;
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Left;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.MapEntries;
import org.apache.spark.sql.catalyst.expressions.MapFromArrays;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VarcharType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * Types with the lengths of texts, which are part of a type in Trino. Spark's texts have none, but within one
 * expression, as in `typeof(lower('abc'))`, the literals tell them.
 */
final class TextLengths {
  private static final int BASE_DIGITS = 64;

  private TextLengths() {}

  static DataType typeOf(Expression value) {
    if (value instanceof Literal) {
      Object text = ((Literal) value).value();
      return text instanceof UTF8String ? new VarcharType(((UTF8String) text).numChars()) : value.dataType();
    }
    if (value instanceof Left && ((Left) value).len() instanceof Literal) {
      return new VarcharType(((Number) ((Literal) ((Left) value).len()).value()).intValue());
    }
    if (value instanceof StaticInvoke) {
      return ofCall((StaticInvoke) value);
    }
    if (value instanceof CreateArray) {
      DataType element = common(value.children(), ((ArrayType) value.dataType()).elementType());
      return new ArrayType(element, true);
    }
    if (value instanceof CreateNamedStruct) {
      return row((StructType) value.dataType(), TypedFunction.array((Seq) ((CreateNamedStruct) value).valExprs()));
    }
    return ofBranches(value);
  }

  private static DataType ofCall(StaticInvoke call) {
    Class owner = call.staticObject();
    String method = call.functionName();
    if (owner == Arithmetic.class && method.equals("toBase")) {
      return new VarcharType(BASE_DIGITS);
    }
    boolean text = owner == Texts.class && (method.equals("lower") || method.equals("upper")
        || method.equals("substr") || method.startsWith("trim"));
    boolean array = owner == Arrays.class && method.equals("sameLength");
    if (text || array) {
      return typeOf(argument(call, 0));
    }
    if (owner == Splits.class && method.equals("split")) {
      return new ArrayType(typeOf(argument(call, 0)), true);
    }
    if (owner == Arrays.class && method.equals("same")) {
      return new ArrayType(renamed(ofEntries(argument(call, 0))), true);
    }
    return owner == Texts.class && method.equals("replace") ? ofReplace(call) : call.dataType();
  }

  private static DataType ofReplace(StaticInvoke call) {
    DataType before = typeOf(argument(call, 0));
    DataType by = typeOf(argument(call, 2));
    if (!(before instanceof VarcharType) || !(by instanceof VarcharType)) {
      return call.dataType();
    }
    long length = ((VarcharType) before).length();
    long longest = length + ((VarcharType) by).length() * (length + 1);
    return longest > Integer.MAX_VALUE ? call.dataType() : new VarcharType((int) longest);
  }

  private static Expression argument(StaticInvoke call, int number) {
    return (Expression) call.arguments().apply(number);
  }

  /** The type of the rows that zip and map_entries make. */
  private static StructType ofEntries(Expression value) {
    StructType plain = (StructType) ((ArrayType) value.dataType()).elementType();
    if (value instanceof MapEntries && typeOf(((MapEntries) value).child()) instanceof MapType) {
      MapType map = (MapType) typeOf(((MapEntries) value).child());
      return plainRow(plain, new DataType[] {map.keyType(), map.valueType()});
    }
    if (!(value instanceof ArraysZip)) {
      return plain;
    }
    Expression[] arrays = TypedFunction.array((Seq) value.children());
    DataType[] types = new DataType[arrays.length];
    for (int i = 0; i < arrays.length; i++) {
      types[i] = element(arrays[i]);
    }
    return plainRow(plain, types);
  }

  private static DataType element(Expression array) {
    return ((ArrayType) typeOf(array)).elementType();
  }

  private static StructType renamed(StructType row) {
    StructField[] fields = new StructField[row.length()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = new StructField("field" + i, row.fields()[i].dataType(), true, row.fields()[i].metadata());
    }
    return new StructType(fields);
  }

  private static StructType row(StructType plain, Expression[] values) {
    DataType[] types = new DataType[values.length];
    for (int i = 0; i < types.length; i++) {
      types[i] = typeOf(values[i]);
    }
    return plainRow(plain, types);
  }

  private static StructType plainRow(StructType plain, DataType[] types) {
    StructField[] fields = new StructField[types.length];
    for (int i = 0; i < types.length; i++) {
      StructField field = plain.fields()[i];
      fields[i] = new StructField(field.name(), types[i], field.nullable(), field.metadata());
    }
    return new StructType(fields);
  }

  private static DataType ofBranches(Expression value) {
    if (value instanceof MapFromArrays) {
      MapFromArrays map = (MapFromArrays) value;
      return new MapType(element((Expression) map.left()), element((Expression) map.right()), true);
    }
    if (value instanceof Coalesce) {
      return common(value.children(), value.dataType());
    }
    if (value instanceof If) {
      DataType one = branch(((If) value).trueValue());
      return common(one, branch(((If) value).falseValue()), value.dataType());
    }
    if (!(value instanceof CaseWhen)) {
      return value.dataType();
    }
    CaseWhen choice = (CaseWhen) value;
    DataType found =
        choice.elseValue().isDefined() ? branch((Expression) choice.elseValue().get()) : DataTypes.NullType;
    for (Iterator branches = choice.branches().iterator(); branches.hasNext(); ) {
      found = common(found, branch((Expression) ((Tuple2) branches.next())._2()), value.dataType());
    }
    return found;
  }

  /** NULL takes every type and gives none. */
  private static DataType branch(Expression value) {
    Expression inner = value instanceof Cast ? ((Cast) value).child() : value;
    boolean isNull = inner instanceof Literal && ((Literal) inner).value() == null;
    return isNull ? DataTypes.NullType : typeOf(value);
  }

  private static DataType common(Seq values, DataType plain) {
    DataType found = null;
    for (Iterator each = values.iterator(); each.hasNext(); ) {
      DataType type = branch((Expression) each.next());
      found = found == null ? type : common(found, type, plain);
    }
    return found == null ? plain : found;
  }

  private static DataType common(DataType one, DataType other, DataType plain) {
    if (one instanceof VarcharType && other instanceof VarcharType) {
      return new VarcharType(Math.max(((VarcharType) one).length(), ((VarcharType) other).length()));
    }
    if (one instanceof NullType || other instanceof NullType) {
      return one instanceof NullType ? other : one;
    }
    return one.equals(other) && !(plain instanceof StringType) ? one : plain;
  }
}
