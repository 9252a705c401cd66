package sqe.jvm;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;

/** JSON is how structured values cross Py4J: one call instead of one per entry. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  static Map map(String text) throws Exception {
    return (Map) MAPPER.readValue(text, Map.class);
  }

  static List list(String text) throws Exception {
    return (List) MAPPER.readValue(text, List.class);
  }

  static String text(Object value) throws Exception {
    return MAPPER.writeValueAsString(value);
  }
}
