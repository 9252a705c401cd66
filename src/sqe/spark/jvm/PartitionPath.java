package sqe.jvm;

import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Partitioning;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * The partition of a row as a path, `day=2024-05-01/kind=a`. How the values of a partition are written depends on the
 * table's partition specs; they are looked up while the statement is analyzed and go along as a text.
 */
public final class PartitionPath extends AbstractFunction1 {
  /** What was read from such a text: by spec, its fields. Few tables are in use at a time. */
  private static final Map READ = new ConcurrentHashMap();
  private static final int MOST_READ = 1000;

  /** Catalog, schema, table, the row's spec, the row's partition. */
  public Object apply(Object children) {
    Expression[] arguments = TypedFunction.array((Seq) children);
    Table table = table(text(arguments[0]), text(arguments[1]), text(arguments[2]));
    Types.StructType all = Partitioning.partitionType(table);
    if (all.fields().isEmpty()) {
      return new Literal(UTF8String.fromString(""), StringType$.MODULE$);
    }
    Literal specs = new Literal(UTF8String.fromString(written(table, all)), StringType$.MODULE$);
    return new StaticInvoke(
        PartitionPath.class, StringType$.MODULE$, "of",
        JavaCall.sequence(new Object[] {specs, arguments[3], arguments[4]}), Nil$.MODULE$, true, true, true,
        Option.empty());
  }

  private static String text(Expression argument) {
    return String.valueOf(argument.eval(null));
  }

  private static Table table(String catalog, String schema, String name) {
    try {
      return TableFacts.load((SparkSession) SparkSession.active(), catalog, schema, name);
    } catch (Exception missing) {
      throw new WrongArguments("only tables have the column \"$partition\"");
    }
  }

  /** By the number of the spec, its fields: name, place in the row's partition (-1: not there), transform, type. */
  private static String written(Table table, Types.StructType all) {
    Map specs = new LinkedHashMap();
    for (Iterator found = table.specs().values().iterator(); found.hasNext(); ) {
      PartitionSpec spec = (PartitionSpec) found.next();
      List fields = new ArrayList();
      for (int i = 0; i < spec.fields().size(); i++) {
        PartitionField field = (PartitionField) spec.fields().get(i);
        Type type = ((Types.NestedField) spec.partitionType().fields().get(i)).type();
        List facts = new ArrayList();
        facts.add(field.name());
        facts.add(Integer.valueOf(place(all, field.fieldId())));
        facts.add(field.transform().toString());
        facts.add(type.toString());
        fields.add(facts);
      }
      specs.put(String.valueOf(spec.specId()), fields);
    }
    try {
      return Json.text(specs);
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static int place(Types.StructType all, int id) {
    for (int i = 0; i < all.fields().size(); i++) {
      if (((Types.NestedField) all.fields().get(i)).fieldId() == id) {
        return i;
      }
    }
    return -1;
  }

  public static UTF8String of(UTF8String specs, int spec, InternalRow partition) throws Exception {
    Field[] fields = (Field[]) read(specs.toString()).get(String.valueOf(spec));
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < fields.length; i++) {
      path.append(i == 0 ? "" : "/").append(URLEncoder.encode(fields[i].name, "UTF-8")).append("=");
      path.append(URLEncoder.encode(fields[i].shown(partition), "UTF-8"));
    }
    return UTF8String.fromString(path.toString());
  }

  private static Map read(String specs) throws Exception {
    Map known = (Map) READ.get(specs);
    if (known != null) {
      return known;
    }
    Map read = new LinkedHashMap();
    for (Iterator entries = Json.map(specs).entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      List all = (List) entry.getValue();
      Field[] fields = new Field[all.size()];
      for (int i = 0; i < fields.length; i++) {
        fields[i] = new Field((List) all.get(i));
      }
      read.put(entry.getKey(), fields);
    }
    if (READ.size() > MOST_READ) {
      READ.clear();
    }
    READ.put(specs, read);
    return read;
  }

  /** One field of a spec. */
  private static final class Field {
    final String name;
    private final int place;
    private final Transform transform;
    private final Type type;
    private final DataType sparkType;

    Field(List facts) {
      name = (String) facts.get(0);
      place = ((Number) facts.get(1)).intValue();
      type = Types.fromPrimitiveString((String) facts.get(3));
      transform = Transforms.fromString((String) facts.get(2));
      sparkType = SparkSchemaUtil.convert(type);
    }

    String shown(InternalRow partition) {
      boolean absent = place < 0 || partition.isNullAt(place);
      return transform.toHumanString(type, absent ? null : value(partition.get(place, sparkType)));
    }

    private Object value(Object found) {
      if (found instanceof UTF8String) {
        String text = found.toString();
        return type.typeId() == Type.TypeID.UUID ? (Object) UUID.fromString(text) : text;
      }
      if (found instanceof Decimal) {
        return ((Decimal) found).toJavaBigDecimal();
      }
      return found instanceof byte[] ? ByteBuffer.wrap((byte[]) found) : found;
    }
  }
}
