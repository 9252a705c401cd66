package sqe.jvm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;

/** Texts cut at a separator that is plain text. */
public final class Splits {
  private Splits() {}

  public static ArrayData split(UTF8String value, UTF8String separator, long limit) {
    if (separator.numBytes() == 0) {
      throw new BadValue("the separator is empty");
    }
    if (limit <= 0) {
      throw new BadValue("the limit of split must be positive");
    }
    return texts(parts(value.toString(), separator.toString(), limit));
  }

  private static List parts(String text, String separator, long limit) {
    List parts = new ArrayList();
    int from = 0;
    for (int at = text.indexOf(separator); at >= 0 && parts.size() < limit - 1; at = text.indexOf(separator, from)) {
      parts.add(text.substring(from, at));
      from = at + separator.length();
    }
    parts.add(text.substring(from));
    return parts;
  }

  /** An array of texts; a null stays one. */
  static ArrayData texts(List texts) {
    Object[] made = new Object[texts.size()];
    for (int i = 0; i < made.length; i++) {
      made[i] = UTF8String.fromString((String) texts.get(i));
    }
    return new GenericArrayData(made);
  }

  public static UTF8String part(UTF8String value, UTF8String separator, long number) {
    if (number <= 0) {
      throw new BadValue("split_part counts from 1");
    }
    if (separator.numBytes() == 0) {
      return number > value.numChars() ? null : value.substring((int) number - 1, (int) number);
    }
    List parts = parts(value.toString(), separator.toString(), Long.MAX_VALUE);
    return number > parts.size() ? null : UTF8String.fromString((String) parts.get((int) number - 1));
  }

  public static MapData toMap(UTF8String value, UTF8String entry, UTF8String key) {
    Map entries = entries(value, entry, key);
    Map single = new LinkedHashMap();
    for (java.util.Iterator keys = entries.keySet().iterator(); keys.hasNext(); ) {
      Object name = keys.next();
      List values = (List) entries.get(name);
      if (values.size() > 1) {
        throw new BadValue("the key " + name + " stands twice; split_to_multimap takes that");
      }
      single.put(UTF8String.fromString((String) name), UTF8String.fromString((String) values.get(0)));
    }
    return map(single);
  }

  public static MapData toMultimap(UTF8String value, UTF8String entry, UTF8String key) {
    Map entries = entries(value, entry, key);
    Map many = new LinkedHashMap();
    for (java.util.Iterator keys = entries.keySet().iterator(); keys.hasNext(); ) {
      Object name = keys.next();
      many.put(UTF8String.fromString((String) name), texts((List) entries.get(name)));
    }
    return map(many);
  }

  private static Map entries(UTF8String value, UTF8String entry, UTF8String key) {
    String between = key.toString();
    if (entry.numBytes() == 0 || between.isEmpty() || entry.equals(key)) {
      throw new BadValue("the separators of entries and of keys must be two different texts");
    }
    Map found = new LinkedHashMap();
    List parts = value.numBytes() == 0 ? new ArrayList() : parts(value.toString(), entry.toString(), Long.MAX_VALUE);
    for (int i = 0; i < parts.size(); i++) {
      String part = (String) parts.get(i);
      int at = part.indexOf(between);
      if (part.isEmpty() && i == parts.size() - 1) {
        break;
      }
      if (at < 0 || part.indexOf(between, at + between.length()) >= 0) {
        throw new BadValue("an entry must have one '" + between + "': " + part);
      }
      String name = part.substring(0, at);
      if (!found.containsKey(name)) {
        found.put(name, new ArrayList());
      }
      ((List) found.get(name)).add(part.substring(at + between.length()));
    }
    return found;
  }

  /** A map of Spark's from one with values of Spark's. */
  static MapData map(Map entries) {
    return new ArrayBasedMapData(
        new GenericArrayData(entries.keySet().toArray()), new GenericArrayData(entries.values().toArray()));
  }
}
