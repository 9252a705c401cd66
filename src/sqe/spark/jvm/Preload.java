package sqe.jvm;

/**
 * Loads, beside the start of the Spark context, classes that the first statement needs: the second core is idle then.
 */
final class Preload implements Runnable {
  private static final String[] NAMES = {
    "org.apache.spark.sql.catalyst.parser.SqlBaseParser",
    "org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator",
    "org.apache.iceberg.spark.SparkCatalog",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "org.apache.iceberg.TableMetadataParser",
    // Its static part must not begin in a task: a cancel there would leave it broken for the life of the JVM.
    "org.apache.iceberg.formats.FormatModelRegistry",
    "org.apache.spark.sql.execution.arrow.ArrowConverters",
    "org.codehaus.janino.SimpleCompiler",
    "org.sqlite.JDBC",
  };

  private Preload() {}

  static void begin() {
    Thread thread = new Thread(new Preload(), "sqe-preload");
    thread.setDaemon(true);
    thread.start();
  }

  public void run() {
    for (int i = 0; i < NAMES.length; i++) {
      try {
        Class.forName(NAMES[i]);
      } catch (Throwable absent) {
        // A group of jars that this configuration does not use.
      }
    }
  }
}
