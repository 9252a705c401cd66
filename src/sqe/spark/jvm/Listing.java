package sqe.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.iceberg.spark.source.SparkView;
import org.apache.iceberg.view.SQLViewRepresentation;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.View;
import org.apache.spark.sql.connector.catalog.ViewCatalog;
import org.apache.spark.sql.types.StructField;

/** What a session's catalogs hold, as JSON. Tables are looked at many at a time: each look may be a request. */
final class Listing {
  private static final int AT_ONCE = 16;
  /** From so many tables on, it pays to ask the catalog for all of their places at once. */
  private static final int MANY = 8;
  private static final ExecutorService WORKERS = Executors.newFixedThreadPool(AT_ONCE, new Daemons());

  private Listing() {}

  static String catalogs(SparkSession session) throws Exception {
    return Json.text(SessionCatalogs.names(session));
  }

  static String place(SparkSession session) throws Exception {
    CatalogManager manager = session.sessionState().catalogManager();
    // Without a word about it, Spark takes the catalog that the thread's session starts with.
    SparkSession.setActiveSession(session);
    try {
      String schema = String.join(".", manager.currentNamespace());
      return Json.text(Arrays.asList(new Object[] {manager.currentCatalog().name(), schema}));
    } finally {
      SparkSession.clearActiveSession();
    }
  }

  static String schemas(SparkSession session, String catalog) throws Exception {
    List found = new ArrayList();
    addSchemas((SupportsNamespaces) plugin(session, catalog), new String[0], found);
    Collections.sort(found);
    return Json.text(found);
  }

  private static void addSchemas(SupportsNamespaces catalog, String[] parent, List found) throws Exception {
    String[][] namespaces = parent.length == 0 ? catalog.listNamespaces() : catalog.listNamespaces(parent);
    for (int i = 0; i < namespaces.length; i++) {
      found.add(String.join(".", namespaces[i]));
      addSchemas(catalog, namespaces[i], found);
    }
  }

  static boolean schemaExists(SparkSession session, String catalog, String schema) {
    return ((SupportsNamespaces) plugin(session, catalog)).namespaceExists(schema.split("\\."));
  }

  /** Pairs of name and kind: TABLE or VIEW. */
  static String relations(SparkSession session, String catalog, String schema) throws Exception {
    CatalogPlugin plugin = plugin(session, catalog);
    String[] namespace = schema.split("\\.");
    List found = new ArrayList();
    add(found, ((TableCatalog) plugin).listTables(namespace), "TABLE");
    if (plugin instanceof ViewCatalog) {
      add(found, ((ViewCatalog) plugin).listViews(namespace), "VIEW");
    }
    return Json.text(found);
  }

  private static void add(List found, Identifier[] names, String kind) {
    for (int i = 0; i < names.length; i++) {
      found.add(Arrays.asList(new Object[] {names[i].name(), kind}));
    }
  }

  /** For each of the relations: its columns, and its properties if asked for; null for one that is gone meanwhile. */
  static String describe(
      SparkSession session, String catalog, String schema, String namesJson, boolean properties) throws Exception {
    CatalogPlugin plugin = plugin(session, catalog);
    Map names = Json.map(namesJson);
    Map locations = names.size() < MANY ? Collections.EMPTY_MAP : KnownTables.locations(plugin, schema.split("\\."));
    List answers = new ArrayList();
    List tasks = new ArrayList();
    for (java.util.Iterator entries = names.entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      String location = (String) locations.get(entry.getKey());
      String[] known = location == null ? null : KnownTables.get(location);
      answers.add(known == null ? null : written(known, properties));
      if (known == null) {
        Identifier name = Identifier.of(schema.split("\\."), (String) entry.getKey());
        tasks.add(look(plugin, name, entry.getValue(), properties));
      }
    }
    java.util.Iterator looks = WORKERS.invokeAll(tasks).iterator();
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < answers.size(); i++) {
      Object answer = answers.get(i) == null ? ((Future) looks.next()).get() : answers.get(i);
      text.append(i == 0 ? "" : ",").append(answer);
    }
    return text.append("]").toString();
  }

  private static Callable look(
      final CatalogPlugin plugin, final Identifier name, final Object kind, final boolean properties) {
    return new Callable() {
      public Object call() {
        return described(plugin, name, "VIEW".equals(kind), properties);
      }
    };
  }

  /** JSON. */
  private static String described(CatalogPlugin plugin, Identifier name, boolean view, boolean properties) {
    try {
      if (view) {
        return Json.text(ofView(((ViewCatalog) plugin).loadView(name)));
      }
      Table table = ((TableCatalog) plugin).loadTable(name);
      String[] facts = ofTable(table);
      KnownTables.put(table, facts);
      return written(facts, properties);
    } catch (Exception gone) {
      // Dropped since it was listed, or broken: a listing goes on with the others.
      return "null";
    }
  }

  private static String written(String[] facts, boolean properties) {
    return "{\"columns\":" + facts[0] + ",\"properties\":" + (properties ? facts[1] : "{}") + "}";
  }

  private static String[] ofTable(Table table) throws Exception {
    List columns = new ArrayList();
    Column[] all = table.columns();
    for (int i = 0; i < all.length; i++) {
      ColumnDefaultValue value = all[i].defaultValue();
      String given = value == null ? null : value.getSql();
      columns.add(column(all[i].name(), all[i].dataType().sql(), all[i].nullable(), all[i].comment(), given));
    }
    return new String[] {Json.text(columns), Json.text(table.properties())};
  }

  private static Map ofView(View view) {
    List columns = new ArrayList();
    StructField[] all = view.schema().fields();
    for (int i = 0; i < all.length; i++) {
      Object comment = all[i].getComment().isDefined() ? all[i].getComment().get() : null;
      columns.add(column(all[i].name(), all[i].dataType().sql(), all[i].nullable(), (String) comment, null));
    }
    Map facts = new LinkedHashMap();
    facts.put("columns", columns);
    facts.put("properties", view.properties());
    facts.put("query", view.query());
    facts.put("written", written(view));
    return facts;
  }

  /** The text that a person wrote for a view, null if it was not kept. */
  private static String written(View view) {
    if (!(view instanceof SparkView)) {
      return null;
    }
    SQLViewRepresentation kept = ((SparkView) view).view().sqlFor("trino");
    return kept != null && "trino".equalsIgnoreCase(kept.dialect()) ? kept.sql() : null;
  }

  /** For each of the settings: its value and its default, empty for one that has none. */
  static String settings(SparkSession session, SparkSession root, String keysJson) throws Exception {
    Map found = new LinkedHashMap();
    for (java.util.Iterator keys = Json.map(keysJson).keySet().iterator(); keys.hasNext(); ) {
      String key = (String) keys.next();
      found.put(key, Arrays.asList(new Object[] {setting(session, key), setting(root, key)}));
    }
    return Json.text(found);
  }

  private static String setting(SparkSession session, String key) {
    scala.Option value = session.conf().getOption(key);
    return value.isDefined() ? (String) value.get() : "";
  }

  private static Object column(String name, String type, boolean nullable, String comment, String given) {
    return Arrays.asList(new Object[] {name, type, Boolean.valueOf(nullable), comment, given});
  }

  private static CatalogPlugin plugin(SparkSession session, String catalog) {
    return SessionCatalogs.plugin(session, catalog);
  }

  private static final class Daemons implements java.util.concurrent.ThreadFactory {
    public Thread newThread(Runnable work) {
      Thread thread = new Thread(work, "listing");
      thread.setDaemon(true);
      return thread;
    }
  }
}
