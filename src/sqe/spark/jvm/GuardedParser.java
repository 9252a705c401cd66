package sqe.jvm;

import java.util.List;
import org.apache.iceberg.spark.ExtendedParser;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.ParameterContext;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/**
 * The parser of every session: what it reads is looked at by the guard, wherever the text comes from. That is a
 * statement, a view that another engine has stored, or a condition that a procedure was given.
 */
final class GuardedParser implements ExtendedParser {
  private final ExtendedParser parser;

  GuardedParser(ParserInterface parser) {
    this.parser = (ExtendedParser) parser;
  }

  public LogicalPlan parsePlan(String text) throws ParseException {
    return guarded(parser.parsePlan(text));
  }

  public LogicalPlan parsePlanWithParameters(String text, ParameterContext parameters) throws ParseException {
    return guarded(parser.parsePlanWithParameters(text, parameters));
  }

  public LogicalPlan parseQuery(String text) throws ParseException {
    return guarded(parser.parseQuery(text));
  }

  public Expression parseExpression(String text) throws ParseException {
    Expression parsed = parser.parseExpression(text);
    PlanGuard.check(parsed);
    return parsed;
  }

  private static LogicalPlan guarded(LogicalPlan parsed) {
    PlanGuard.check(parsed);
    return ByPosition.wrapped(parsed);
  }

  public TableIdentifier parseTableIdentifier(String text) throws ParseException {
    return parser.parseTableIdentifier(text);
  }

  public FunctionIdentifier parseFunctionIdentifier(String text) throws ParseException {
    return parser.parseFunctionIdentifier(text);
  }

  public Seq parseMultipartIdentifier(String text) throws ParseException {
    return parser.parseMultipartIdentifier(text);
  }

  public StructType parseRoutineParam(String text) throws ParseException {
    return parser.parseRoutineParam(text);
  }

  public DataType parseDataType(String text) throws ParseException {
    return parser.parseDataType(text);
  }

  public StructType parseTableSchema(String text) throws ParseException {
    return parser.parseTableSchema(text);
  }

  public List parseSortOrder(String text) throws AnalysisException {
    return parser.parseSortOrder(text);
  }
}
