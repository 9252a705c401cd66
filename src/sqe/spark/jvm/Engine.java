package sqe.jvm;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.classic.SparkSession;

/** The object that Python sees: one Spark context, its sessions and the statements running in them. */
public final class Engine {
  private final StartOptions options;
  private final CountDownLatch ready = new CountDownLatch(1);
  private volatile Throwable startFailure;
  private volatile SparkSession root;
  private volatile CanceledStatements canceled;

  Engine(StartOptions options) {
    this.options = options;
  }

  void start() {
    try {
      GuardRules.put(options.guard);
      ChangedRows.listen();
      Preload preload = Preload.begin(options.functions);
      SparkConf conf = new SparkConf(false);
      for (Iterator entries = options.conf.entrySet().iterator(); entries.hasNext(); ) {
        Map.Entry entry = (Map.Entry) entries.next();
        conf.set((String) entry.getKey(), String.valueOf(entry.getValue()));
      }
      SparkContext context = SparkContext.getOrCreate(conf);
      canceled = CanceledStatements.watch(context);
      // A session takes its functions from the table when it is made.
      preload.awaitFunctions();
      // Warnings are what an operator wants; Spark's INFO lines show whole plans.
      root = (SparkSession) SparkSession.builder().sparkContext(context).getOrCreate();
    } catch (Throwable failure) {
      startFailure = failure;
    } finally {
      ready.countDown();
    }
  }

  /** Blocks until Spark is up. */
  public void awaitReady() throws Throwable {
    ready.await();
    if (startFailure != null) {
      throw startFailure;
    }
  }

  public boolean isReady() {
    return ready.getCount() == 0 && startFailure == null;
  }

  void stop() {
    if (root != null) {
      root.sparkContext().stop();
    }
  }

  /** A session of its own: own settings, own catalogs, own temporary views. */
  public SparkSession newSession(String confJson) throws Throwable {
    awaitReady();
    SparkSession session = (SparkSession) root.newSession();
    for (Iterator entries = Json.map(confJson).entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      session.conf().set((String) entry.getKey(), String.valueOf(entry.getValue()));
    }
    return session;
  }

  /** Builds what the first statement would otherwise wait for: parser, analyzer, optimizer, planner. */
  public void prepareSession(SparkSession session) {
    SparkSession.setActiveSession(session);
    try {
      SessionCatalogs.load(session);
      ((org.apache.spark.sql.classic.Dataset) session.sql("SELECT 1")).queryExecution().executedPlan();
    } finally {
      SparkSession.clearActiveSession();
    }
  }

  public void attach(SparkSession session, String name, String settings) throws Exception {
    SparkSession.setActiveSession(session);
    try {
      SessionCatalogs.attach(session, name, Json.map(settings));
    } finally {
      SparkSession.clearActiveSession();
    }
  }

  public void detach(SparkSession session, String name) {
    SessionCatalogs.detach(session, name);
  }

  /** A change of a table or view that no statement of Spark's stands for. */
  public boolean change(SparkSession session, String what, String request) throws Exception {
    SparkSession.setActiveSession(session);
    try {
      return change(session, what, Json.map(request));
    } finally {
      SparkSession.clearActiveSession();
    }
  }

  private static boolean change(SparkSession session, String what, Map request) {
    if ("defaults".equals(what)) {
      TableChanges.setDefaults(session, request);
    } else if ("columns".equals(what)) {
      TableChanges.addColumns(session, request);
    } else if ("like".equals(what)) {
      return TableLike.create(session, request);
    } else {
      ViewTexts.keep(session, request);
    }
    return true;
  }

  public void closeSession(SparkSession session) {
    SessionCatalogs.close(session);
    FileAccess.close(session);
  }

  /** A statement; `procedures` are those of the ones that take paths that it may call. */
  public Statement statement(SparkSession session, String id, String sql, String procedures) throws Exception {
    return new Statement(session, canceled, id, sql, Json.list(procedures));
  }

  public String catalogs(SparkSession session) throws Exception {
    return Listing.catalogs(session);
  }

  /** Names without a catalog or schema lead there, whether it exists already or not. */
  public void use(SparkSession session, String catalog, String schema) {
    SparkSession.setActiveSession(session);
    try {
      SessionCatalogs.use(session, catalog, schema);
    } finally {
      SparkSession.clearActiveSession();
    }
  }

  public String place(SparkSession session) throws Exception {
    return Listing.place(session);
  }

  public String schemas(SparkSession session, String catalog) throws Exception {
    return Listing.schemas(session, catalog);
  }

  public boolean schemaExists(SparkSession session, String catalog, String schema) {
    return Listing.schemaExists(session, catalog, schema);
  }

  public String relations(SparkSession session, String catalog, String schema) throws Exception {
    return Listing.relations(session, catalog, schema);
  }

  public String describe(SparkSession session, String catalog, String schema, String names, boolean properties)
      throws Exception {
    return Listing.describe(session, catalog, schema, names, properties);
  }

  public String tableFacts(SparkSession session, String catalog, String schema, String name) throws Exception {
    return TableFacts.of(session, catalog, schema, name);
  }

  public String tableHealth(SparkSession session, String catalog, String schema, String name) throws Exception {
    return TableHealth.of(session, catalog, schema, name);
  }

  public String tableStats(SparkSession session, String catalog, String schema, String name) throws Exception {
    return TableStats.of(session, catalog, schema, name);
  }

  public String settings(SparkSession session, String keys) throws Exception {
    return Listing.settings(session, root, keys);
  }

  public String schemaProperties(SparkSession session, String catalog, String schema) throws Exception {
    return TableFacts.schemaProperties(session, catalog, schema);
  }

  public String registerTable(SparkSession session, String catalog, String schema, String name, String metadata)
      throws Exception {
    return TableFacts.register(session, catalog, schema, name, metadata);
  }

  /** Makes an Arrow record batch readable as a table by a statement whose id the name begins with. */
  public void putTable(SparkSession session, String name, String schema, byte[] batch) {
    LocalTables.put(session, name, schema, batch);
  }

  /** The same for the rows of a Parquet file that Python has written. */
  public void putFile(SparkSession session, String name, String path) {
    LocalTables.putFile(session, name, path);
  }

  public void forgetTables(String owner) {
    LocalTables.forget(owner);
  }

  /** Which files the session may read, and from which folder relative paths start. */
  public void allowFiles(SparkSession session, String facts) throws Exception {
    FileAccess.put(session, Json.map(facts));
  }

  /** Adds jars to the class path. */
  public void addJars(String paths) throws Exception {
    ClassPath.add(Json.list(paths));
  }

  /** The token that a session's catalogs are asked with; also a fresh one for a session that is there already. */
  public void putToken(String reference, String token) {
    LoginTokens.put(reference, token);
  }

  public void forgetToken(String reference) {
    LoginTokens.forget(reference);
  }

  /** Keeps keys for a statement whose id the name begins with. */
  public void putSecret(String name, String credentials) throws Exception {
    Secrets.put(name, Json.map(credentials));
  }

  public void forgetSecrets(String owner) {
    Secrets.forget(owner);
  }

  public String progress(String id) throws Exception {
    return Progress.of(root.sparkContext(), id);
  }

  public String describeFailure(Throwable failure) throws Exception {
    return Failure.describe(failure);
  }

  /** Gives memory back to the system after a busy time. */
  public void releaseMemory() {
    System.gc();
  }

  public long heapUsed() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
