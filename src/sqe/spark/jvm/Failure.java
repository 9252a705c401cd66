package sqe.jvm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.QueryContext;
import org.apache.spark.QueryContextType;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.catalyst.parser.ParseException;

/** An exception and its causes as plain data; what they mean to a user is decided in Python. */
final class Failure {
  private static final int MOST_CAUSES = 12;

  private Failure() {}

  static String describe(Throwable failure) throws Exception {
    List chain = new ArrayList();
    Throwable current = failure;
    while (current != null && chain.size() < MOST_CAUSES) {
      chain.add(one(current));
      current = current.getCause() == current ? null : current.getCause();
    }
    return Json.text(chain);
  }

  private static Map one(Throwable failure) {
    Map facts = new LinkedHashMap();
    facts.put("class", failure.getClass().getName());
    facts.put("message", failure.getMessage());
    if (failure instanceof SparkThrowable) {
      SparkThrowable spark = (SparkThrowable) failure;
      facts.put("condition", spark.getCondition());
      facts.put("sql_state", spark.getSqlState());
      facts.put("parameters", parameters(spark));
      position(spark, facts);
    }
    if (failure instanceof WrongArguments) {
      facts.put("start", ((WrongArguments) failure).start);
      facts.put("stop", ((WrongArguments) failure).stop);
    }
    if (failure instanceof ParseException) {
      ParseException parse = (ParseException) failure;
      if (parse.start().line().isDefined()) {
        facts.put("line", parse.start().line().get());
        facts.put("column", parse.start().startPosition().get());
      }
    }
    return facts;
  }

  /** What the message was made of: names, types and values, each by itself. */
  private static Map parameters(SparkThrowable spark) {
    try {
      return spark.getMessageParameters() == null ? new LinkedHashMap() : spark.getMessageParameters();
    } catch (RuntimeException none) {
      return new LinkedHashMap();
    }
  }

  private static void position(SparkThrowable spark, Map facts) {
    try {
      QueryContext[] contexts = spark.getQueryContext();
      for (int i = 0; i < contexts.length; i++) {
        if (contexts[i].contextType() == QueryContextType.SQL && contexts[i].startIndex() >= 0) {
          facts.put("start", Integer.valueOf(contexts[i].startIndex()));
          facts.put("stop", Integer.valueOf(contexts[i].stopIndex()));
          facts.put("object_type", contexts[i].objectType());
          return;
        }
      }
    } catch (RuntimeException unknown) {
      // A context without a position: the message has to do.
    }
  }
}
