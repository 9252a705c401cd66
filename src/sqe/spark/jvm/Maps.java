package sqe.jvm;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Maps from arrays of rows, whose fields are key and value; a key that is NULL is left out. */
public final class Maps {
  private Maps() {}

  public static MapData first(ArrayData entries, StructType entry) {
    return made(entries, entry, false);
  }

  public static MapData last(ArrayData entries, StructType entry) {
    return made(entries, entry, true);
  }

  private static MapData made(ArrayData entries, StructType entry, boolean last) {
    Map found = new LinkedHashMap();
    DataType type = entry.fields()[1].dataType();
    for (int i = 0; i < entries.numElements(); i++) {
      InternalRow row = row(entries, i, 2);
      Object key = key(row, entry);
      if (key != null && (last || !found.containsKey(key))) {
        found.put(key, row.isNullAt(1) ? null : row.get(1, type));
      }
    }
    return map(found);
  }

  /** An entry that is NULL, or has no key, is an error here: this is for maps that a person wrote. */
  public static MapData grouped(ArrayData entries, StructType entry) {
    Map found = new LinkedHashMap();
    DataType type = entry.fields()[1].dataType();
    for (int i = 0; i < entries.numElements(); i++) {
      if (entries.isNullAt(i)) {
        throw new IllegalArgumentException("map entry cannot be null");
      }
      InternalRow row = row(entries, i, 2);
      Object key = key(row, entry);
      if (key == null) {
        throw new IllegalArgumentException("map key cannot be null");
      }
      List values = (List) found.get(key);
      if (values == null) {
        values = new ArrayList();
        found.put(key, values);
      }
      values.add(row.isNullAt(1) ? null : row.get(1, type));
    }
    for (Iterator all = found.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry one = (Map.Entry) all.next();
      one.setValue(new GenericArrayData(((List) one.getValue()).toArray()));
    }
    return map(found);
  }

  public static MapData counted(ArrayData entries, StructType entry) {
    return map(counts(entries, entry));
  }

  /** The keys with the highest counts, at most so many. */
  public static MapData frequent(ArrayData entries, StructType entry, int most) {
    List sorted = new ArrayList(counts(entries, entry).entrySet());
    java.util.Collections.sort(sorted, java.util.Collections.reverseOrder(Map.Entry.comparingByValue()));
    Map found = new LinkedHashMap();
    for (int i = 0; i < sorted.size() && i < most; i++) {
      Map.Entry one = (Map.Entry) sorted.get(i);
      found.put(one.getKey(), one.getValue());
    }
    return map(found);
  }

  private static Map counts(ArrayData entries, StructType entry) {
    Map found = new LinkedHashMap();
    for (int i = 0; i < entries.numElements(); i++) {
      Object key = key(row(entries, i, entry.fields().length), entry);
      if (key != null) {
        Long before = (Long) found.get(key);
        found.put(key, Long.valueOf(before == null ? 1L : before.longValue() + 1));
      }
    }
    return found;
  }

  private static InternalRow row(ArrayData entries, int number, int fields) {
    return entries.getStruct(number, fields);
  }

  private static Object key(InternalRow row, StructType entry) {
    if (row.isNullAt(0)) {
      return null;
    }
    Object key = row.get(0, entry.fields()[0].dataType());
    // Two zeros are one key.
    return key instanceof Double && ((Double) key).doubleValue() == 0 ? Double.valueOf(0) : key;
  }

  private static MapData map(Map found) {
    return new ArrayBasedMapData(
        new GenericArrayData(found.keySet().toArray()), new GenericArrayData(found.values().toArray()));
  }
}
