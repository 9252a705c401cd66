package sqe.jvm;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/** What every session checks beyond Spark's own rules. Stands after Iceberg's, whose parser it wraps. */
public final class SessionRules extends AbstractFunction1 {
  public Object apply(Object extensions) {
    SparkSessionExtensions all = (SparkSessionExtensions) extensions;
    all.injectParser(
        new AbstractFunction2() {
          public Object apply(Object session, Object parser) {
            return new GuardedParser((ParserInterface) parser);
          }
        });
    all.injectResolutionRule(new Always(new ByPosition()));
    all.injectPlanNormalizationRule(new Always(new CountUpdates()));
    all.injectCheckRule(new Always(new ResolvedGuard()));
    all.injectCheckRule(new Always(new LossyWrites()));
    return BoxedUnit.UNIT;
  }

  /** The same rule for every session. */
  private static final class Always extends AbstractFunction1 {
    private final Object rule;

    Always(Object rule) {
      this.rule = rule;
    }

    public Object apply(Object session) {
      return rule;
    }
  }
}
