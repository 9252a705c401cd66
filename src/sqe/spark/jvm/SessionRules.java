package sqe.jvm;

import org.apache.spark.sql.SparkSessionExtensions;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** What every session checks beyond Spark's own rules. */
public final class SessionRules extends AbstractFunction1 {
  public Object apply(Object extensions) {
    ((SparkSessionExtensions) extensions).injectCheckRule(new Builder());
    return BoxedUnit.UNIT;
  }

  private static final class Builder extends AbstractFunction1 {
    public Object apply(Object session) {
      return new LossyWrites();
    }
  }
}
