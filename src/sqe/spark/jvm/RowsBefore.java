package sqe.jvm;

import java.io.Serializable;
import java.util.ArrayList;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.AggregateFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Of (row, number), the row so many rows before the last one, in a window that grows row by row. Its state is the rows
 * so far, to which a window adds one at a time.
 */
public final class RowsBefore implements AggregateFunction {
  private final DataType type;

  RowsBefore(DataType type) {
    this.type = type;
  }

  /** The rows, and how far back the last of them wants to look. */
  private static final class State implements Serializable {
    private final ArrayList rows = new ArrayList();
    private long back;
  }

  public DataType[] inputTypes() {
    return new DataType[] {type, DataTypes.LongType};
  }

  public DataType resultType() {
    return type;
  }

  public String name() {
    return "lag";
  }

  public Serializable newAggregationState() {
    return new State();
  }

  public Serializable update(Serializable state, InternalRow row) {
    State seen = (State) state;
    if (row.isNullAt(1) || row.getLong(1) < 0) {
      throw new BadValue("the offset in lead and lag must be at least 0, and not NULL");
    }
    seen.back = row.getLong(1);
    seen.rows.add(row.getStruct(0, ((StructType) type).length()).copy());
    return seen;
  }

  public Serializable merge(Serializable one, Serializable other) {
    throw new IllegalStateException("a window is not merged");
  }

  public Object produceResult(Serializable state) {
    State seen = (State) state;
    long place = seen.rows.size() - 1 - seen.back;
    return place < 0 ? null : seen.rows.get((int) place);
  }

  public boolean equals(Object other) {
    return other instanceof RowsBefore && type.equals(((RowsBefore) other).type);
  }

  public int hashCode() {
    return type.hashCode();
  }
}
