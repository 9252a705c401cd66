package sqe.jvm;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.inmemory.InMemoryCatalog;

/** A session's own unnamed catalog: names live in memory, files in a folder that goes with the session. */
public final class MemoryCatalog extends InMemoryCatalog {
  public MemoryCatalog() {}

  public void initialize(String name, Map properties) {
    super.initialize(name, properties);
    String first = (String) properties.get("sqe.first-namespace");
    if (first != null) {
      createNamespace(Namespace.of(new String[] {first}), new HashMap());
    }
  }
}
