package sqe.jvm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VariantType;
import org.apache.spark.sql.types.YearMonthIntervalType;

/** Notes at columns that leave as text, about the type that they had; they travel as metadata of Arrow's fields. */
final class TypeNotes {
  static final String KEY = "sqe.type";

  private TypeNotes() {}

  /** What to note about a type. */
  static Metadata note(DataType type) {
    String name = type instanceof YearMonthIntervalType ? "interval year to month"
        : type instanceof VariantType ? "json" : null;
    return name == null ? Metadata.empty() : new MetadataBuilder().putString(KEY, name).build();
  }

  /** The Arrow schema with the notes of the columns. */
  static Schema noted(StructType columns, Schema schema) {
    List fields = new ArrayList();
    for (int i = 0; i < columns.length(); i++) {
      Field field = (Field) schema.getFields().get(i);
      Metadata notes = columns.fields()[i].metadata();
      fields.add(notes.contains(KEY) ? with(field, notes.getString(KEY)) : field);
    }
    return new Schema(fields, schema.getCustomMetadata());
  }

  private static Field with(Field field, String name) {
    Map metadata = new HashMap(field.getMetadata());
    metadata.put(KEY, name);
    FieldType type = new FieldType(field.isNullable(), field.getType(), field.getDictionary(), metadata);
    return new Field(field.getName(), type, field.getChildren());
  }
}
