package sqe.jvm;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.arrow.ArrowConverters;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * Tables that Python made for one statement: `local('name')` after FROM reads them. Their names are made from the
 * statement's id, which nobody else knows, and they are gone with it.
 */
final class LocalTables extends AbstractFunction1 {
  /** The mark of files that Python has written; no statement can set an option of a reader. */
  static final String UPLOAD = "sqe.upload";

  private static final Map TABLES = new ConcurrentHashMap();

  static void put(SparkSession session, String name, String schema, byte[] batch) {
    List batches = new ArrayList();
    batches.add(batch);
    Dataset frame =
        (Dataset)
            ArrowConverters.toDataFrame(
                scala.jdk.javaapi.CollectionConverters.asScala(batches.iterator()), schema, session);
    TABLES.put(name, frame.queryExecution().analyzed());
  }

  static void putFile(SparkSession session, String name, String path) {
    SparkSession.setActiveSession(session);
    try {
      Dataset frame = (Dataset) session.read().option(UPLOAD, "").parquet(path);
      TABLES.put(name, frame.queryExecution().analyzed());
    } finally {
      SparkSession.clearActiveSession();
    }
  }

  static void forget(String owner) {
    for (Iterator names = TABLES.keySet().iterator(); names.hasNext(); ) {
      if (((String) names.next()).startsWith(owner + "/")) {
        names.remove();
      }
    }
  }

  public Object apply(Object children) {
    Object name = ((Expression) ((Seq) children).head()).eval(null);
    Object plan = TABLES.get(String.valueOf(name));
    if (plan == null) {
      throw new WrongArguments("there is no such table");
    }
    return (LogicalPlan) plan;
  }
}
