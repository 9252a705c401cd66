package sqe.jvm;

import java.util.Iterator;
import java.util.Map;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry$;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import scala.Function1;

/**
 * Adds the function table to Spark's own functions, before there is any session. As functions of a session they would
 * be temporary ones, which views must not use.
 */
final class Functions {
  private static final String PREFIX = "sqe_";
  private static final String[] ZONED = {"zone", "like", "wall", "local"};
  private static final String[] ENTRIES = {"first", "last", "grouped", "counted", "frequent"};
  private static final String[] RESHAPED = {"summed", "averaged", "rounded", "truncated"};

  private Functions() {}

  static void register(Map table) {
    for (Iterator entries = table.entrySet().iterator(); entries.hasNext(); ) {
      Map.Entry entry = (Map.Entry) entries.next();
      String name = (String) entry.getKey();
      scalar(name, new TypedFunction(name, (Map) entry.getValue()));
    }
    for (int i = 0; i < ZONED.length; i++) {
      scalar("_" + ZONED[i], new Zoned(ZONED[i]));
    }
    for (int i = 0; i < ENTRIES.length; i++) {
      scalar("_" + ENTRIES[i], new Entries(ENTRIES[i]));
    }
    for (int i = 0; i < RESHAPED.length; i++) {
      scalar("_" + RESHAPED[i], new Reshaped(RESHAPED[i]));
    }
    scalar("_wrapping_sum", new WrappingSum());
    scalar("_row_before", new JavaAggregate(null));
    scalar("_weighted_percentile", new JavaAggregate(new WeightedPercentile()));
    scalar("_numeric_histogram", new JavaAggregate(new NumericHistogram()));
    scalar("_unnamed", new Unnamed());
    scalar("_ambiguous", new Ambiguous());
    scalar("_digits_of", new Digits());
    scalar("_type_name", new TypeName());
    scalar("java", new JavaCall());
    scalar("_decimal_quotient", new DecimalQuotient());
    scalar("_field", new FieldAt());
    scalar("_replaced", new ReplaceFields());
    scalar("try", new Attempt());
    scalar("from_json", new FromJson(false));
    scalar("try_from_json", new FromJson(true));
    scalar("cast_field", new CastField());
    scalar("type_of", new TypeText());
    scalar("_partition_path", new PartitionPath());
    scalar("_current_role", new Invoker("role"));
    scalar("_available_roles", new Invoker("roles"));
    scalar("_has_role", new Invoker("has_role"));
    tables("unnest", new Unnest(false));
    tables("unnest_ordinality", new Unnest(true));
    tables("local", new LocalTables());
    tables("read", new ReadFiles());
  }

  private static void scalar(String name, Function1 builder) {
    FunctionRegistry$.MODULE$.builtin().registerFunction(identifier(name), info(name), builder);
  }

  private static void tables(String name, Function1 builder) {
    TableFunctionRegistry$.MODULE$.builtin().registerFunction(identifier(name), info(name), builder);
  }

  private static FunctionIdentifier identifier(String name) {
    return new FunctionIdentifier(PREFIX + name);
  }

  private static ExpressionInfo info(String name) {
    return new ExpressionInfo(Functions.class.getName(), PREFIX + name);
  }
}
