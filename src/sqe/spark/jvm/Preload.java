package sqe.jvm;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;

/**
 * Does, beside the start of the Spark context, what the first session and its first statement need: the second core is
 * idle then.
 */
final class Preload implements Runnable {
  private static final String[] NAMES = {
    "org.apache.iceberg.spark.SparkCatalog",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "org.apache.iceberg.TableMetadataParser",
    // Its static part must not begin in a task: a cancel there would leave it broken for the life of the JVM.
    "org.apache.iceberg.formats.FormatModelRegistry",
    "org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator",
    "org.apache.spark.sql.execution.arrow.ArrowConverters",
    "org.codehaus.janino.SimpleCompiler",
  };

  private static final String TYPICAL =
      "SELECT a.k, count(*) AS c, sum(b.v + 1) FROM x.y.a AS a JOIN b ON a.id = b.id "
          + "WHERE a.s LIKE 'x%' AND b.v > 2 GROUP BY a.k ORDER BY c DESC NULLS LAST LIMIT 10";

  private final Map functions;
  private final CountDownLatch registered = new CountDownLatch(1);
  private volatile Throwable failure;

  private Preload(Map functions) {
    this.functions = functions;
  }

  static Preload begin(Map functions) {
    Preload preload = new Preload(functions);
    Thread thread = new Thread(preload, "sqe-preload");
    thread.setDaemon(true);
    thread.start();
    return preload;
  }

  /** Blocks until the function table is known to Spark. */
  void awaitFunctions() throws Throwable {
    registered.await();
    if (failure != null) {
      throw failure;
    }
  }

  public void run() {
    try {
      Functions.register(functions);
      Class.forName("org.apache.spark.sql.internal.SQLConf$");
    } catch (Throwable problem) {
      failure = problem;
    } finally {
      registered.countDown();
    }
    loadSqlite();
    parse();
    for (int i = 0; i < NAMES.length; i++) {
      try {
        Class.forName(NAMES[i]);
      } catch (Throwable absent) {
        // A group of jars that this configuration does not use.
      }
    }
  }

  /** What the parser learns about its grammar it keeps for all later statements. */
  private static void parse() {
    try {
      CatalystSqlParser$.MODULE$.parsePlan(TYPICAL);
    } catch (Throwable problem) {
      // The statement that needs the parser tells.
    }
  }

  /** Its native library is unpacked when it is first used. */
  private static void loadSqlite() {
    try {
      Class.forName("org.sqlite.SQLiteJDBCLoader").getMethod("initialize", new Class[0]).invoke(null, new Object[0]);
    } catch (Throwable absent) {
      // The catalog's own attempt tells why.
    }
  }
}
