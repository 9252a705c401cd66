package sqe.jvm;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import scala.Tuple3;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Adds the function table to every session; Spark makes one of these from its settings. */
public final class Functions extends AbstractFunction1 {
  private static final String PREFIX = "sqe_";
  private static volatile Map table = Collections.EMPTY_MAP;

  static void use(Map functions) {
    table = functions == null ? Collections.EMPTY_MAP : functions;
  }

  public Object apply(Object argument) {
    SparkSessionExtensions extensions = (SparkSessionExtensions) argument;
    for (Iterator entries = table.entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      String name = (String) entry.getKey();
      extensions.injectFunction(
          new Tuple3(identifier(name), info(name), new TypedFunction(name, (Map) entry.getValue())));
    }
    extensions.injectFunction(new Tuple3(identifier("java"), info("java"), new JavaCall()));
    String[] zoned = new String[] {"zone", "like", "wall", "local"};
    for (int i = 0; i < zoned.length; i++) {
      extensions.injectFunction(
          new Tuple3(identifier("_" + zoned[i]), info("_" + zoned[i]), new Zoned(zoned[i])));
    }
    String[] entries = new String[] {"first", "last", "grouped", "counted", "frequent"};
    for (int i = 0; i < entries.length; i++) {
      extensions.injectFunction(
          new Tuple3(identifier("_" + entries[i]), info("_" + entries[i]), new Entries(entries[i])));
    }
    extensions.injectFunction(
        new Tuple3(identifier("_decimal_quotient"), info("_decimal_quotient"), new DecimalQuotient()));
    extensions.injectFunction(new Tuple3(identifier("_mean"), info("_mean"), new DecimalMean()));
    extensions.injectFunction(new Tuple3(identifier("_field"), info("_field"), new FieldAt()));
    extensions.injectTableFunction(new Tuple3(identifier("unnest"), info("unnest"), new Unnest(false)));
    extensions.injectTableFunction(
        new Tuple3(identifier("unnest_ordinality"), info("unnest_ordinality"), new Unnest(true)));
    extensions.injectTableFunction(new Tuple3(identifier("local"), info("local"), new LocalTables()));
    extensions.injectTableFunction(new Tuple3(identifier("read"), info("read"), new ReadFiles()));
    extensions.injectFunction(new Tuple3(identifier("try"), info("try"), new Attempt()));
    extensions.injectFunction(new Tuple3(identifier("from_json"), info("from_json"), new FromJson(false)));
    extensions.injectFunction(new Tuple3(identifier("try_from_json"), info("try_from_json"), new FromJson(true)));
    extensions.injectFunction(new Tuple3(identifier("cast_field"), info("cast_field"), new CastField()));
    extensions.injectFunction(new Tuple3(identifier("type_of"), info("type_of"), new TypeText()));
    return BoxedUnit.UNIT;
  }

  private static FunctionIdentifier identifier(String name) {
    return new FunctionIdentifier(PREFIX + name);
  }

  private static ExpressionInfo info(String name) {
    return new ExpressionInfo(Functions.class.getName(), PREFIX + name);
  }
}
