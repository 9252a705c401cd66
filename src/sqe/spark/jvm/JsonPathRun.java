package sqe.jvm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Follows a path of SQL/JSON through a document. */
final class JsonPathRun {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final boolean lax;
  private final JsonNode document;
  private final Map parameters;

  JsonPathRun(String mode, JsonNode document, Map parameters) {
    this.lax = mode.equals("lax");
    this.document = document;
    this.parameters = parameters;
  }

  /** The path met something it does not fit; what that means is for the caller to say. */
  static final class Misfit extends RuntimeException {
    Misfit(String message) {
      super(message, null, false, false);
    }
  }

  /** The items that a part of the path names; `last` is the last index of the array that is being subscripted. */
  List items(JsonPathNode node, JsonNode current, int last) {
    List found = new ArrayList();
    String kind = node.kind;
    if (kind.equals("$")) {
      found.add(document);
    } else if (kind.equals("@")) {
      found.add(current);
    } else if (kind.equals("last")) {
      found.add(NODES.numberNode(last));
    } else if (kind.equals("literal")) {
      found.add(node.literal);
    } else if (kind.equals("parameter")) {
      Object value = parameters.get(node.word);
      if (value == null) {
        throw new BadValue("the JSON path names a parameter that was not passed: " + node.word);
      }
      found.add(value);
    } else if (kind.equals("arithmetic")) {
      JsonNode left = number(items(node.part(0), current, last));
      found.add(computed(node.word, left, number(items(node.part(1), current, last))));
    } else if (kind.equals("sign")) {
      List values = unwrapped(items(node.part(0), current, last));
      for (int i = 0; i < values.size(); i++) {
        JsonNode value = numeric((JsonNode) values.get(i));
        found.add(node.word.equals("-") ? computed("-", NODES.numberNode(0), value) : value);
      }
    } else {
      step(node, items(node.part(0), current, last), found, current, last);
    }
    return found;
  }

  private void step(JsonPathNode node, List input, List found, JsonNode current, int last) {
    String kind = node.kind;
    boolean whole = kind.equals("elements") || kind.equals("subscript") || kind.equals("descendants")
        || (kind.equals("method") && (node.word.equals("size") || node.word.equals("type")));
    List items = whole ? input : unwrapped(input);
    for (int i = 0; i < items.size(); i++) {
      JsonNode item = (JsonNode) items.get(i);
      if (kind.equals("member")) {
        member(item, node.word, found);
      } else if (kind.equals("members")) {
        members(item, found);
      } else if (kind.equals("elements")) {
        elements(item, found);
      } else if (kind.equals("subscript")) {
        subscript(node, item, found, current);
      } else if (kind.equals("descendants")) {
        descendants(item, node.word, found);
      } else if (kind.equals("filter")) {
        if (Boolean.TRUE.equals(holds(node.part(1), item, last))) {
          found.add(item);
        }
      } else {
        method(node.word, item, found);
      }
    }
  }

  /** In lax mode an array stands for its elements. */
  private List unwrapped(List items) {
    if (!lax) {
      return items;
    }
    List found = new ArrayList();
    for (int i = 0; i < items.size(); i++) {
      JsonNode item = (JsonNode) items.get(i);
      if (item.isArray()) {
        elements(item, found);
      } else {
        found.add(item);
      }
    }
    return found;
  }

  private void misfit(String message) {
    if (!lax) {
      throw new Misfit(message);
    }
  }

  private void member(JsonNode item, String name, List found) {
    if (item.isObject() && item.has(name)) {
      found.add((JsonNode) item.get(name));
    } else {
      misfit("there is no member " + name);
    }
  }

  private void members(JsonNode item, List found) {
    if (!item.isObject()) {
      misfit("members of something that is no object");
      return;
    }
    for (Iterator values = item.elements(); values.hasNext(); ) {
      found.add(values.next());
    }
  }

  private void elements(JsonNode item, List found) {
    if (!item.isArray()) {
      misfit("elements of something that is no array");
      found.add(item);
      return;
    }
    for (int i = 0; i < item.size(); i++) {
      found.add((JsonNode) item.get(i));
    }
  }

  private void descendants(JsonNode item, String name, List found) {
    if (item.isObject() && item.has(name)) {
      found.add((JsonNode) item.get(name));
    }
    for (Iterator values = item.elements(); values.hasNext(); ) {
      descendants((JsonNode) values.next(), name, found);
    }
  }

  private void subscript(JsonPathNode node, JsonNode item, List found, JsonNode current) {
    if (!item.isArray()) {
      misfit("a subscript on something that is no array");
    }
    int size = item.isArray() ? item.size() : 1;
    for (int i = 1; i < node.parts.size(); i++) {
      JsonPathNode range = node.part(i);
      long from = index(range.part(0), current, size - 1);
      long to = range.parts.size() > 1 ? index(range.part(1), current, size - 1) : from;
      if (from > to || from < 0 || to >= size) {
        misfit("a subscript outside of the array");
      }
      for (long at = Math.max(from, 0); at <= to && at < size; at++) {
        found.add(item.isArray() ? (JsonNode) item.get((int) at) : item);
      }
    }
  }

  private long index(JsonPathNode node, JsonNode current, int last) {
    return (long) number(items(node, current, last)).doubleValue();
  }

  private void method(String name, JsonNode item, List found) {
    if (name.equals("type")) {
      found.add(NODES.textNode(item.getNodeType().toString().toLowerCase()));
    } else if (name.equals("size")) {
      if (!item.isArray()) {
        misfit("the size of something that is no array");
      }
      found.add(NODES.numberNode(item.isArray() ? item.size() : 1));
    } else if (name.equals("keyvalue")) {
      keyvalue(item, found);
    } else if (name.equals("double")) {
      try {
        found.add(NODES.numberNode(Double.parseDouble(item.asText())));
      } catch (NumberFormatException wrong) {
        throw new Misfit("no number: " + item);
      }
    } else if (name.equals("abs") || name.equals("ceiling") || name.equals("floor")) {
      JsonNode number = numeric(item);
      double value = number.doubleValue();
      if (number.isIntegralNumber()) {
        found.add(name.equals("abs") && value < 0 ? computed("-", NODES.numberNode(0), number) : number);
      } else {
        found.add(NODES.numberNode(
            name.equals("abs") ? Math.abs(value) : name.equals("floor") ? Math.floor(value) : Math.ceil(value)));
      }
    } else {
      throw new BadValue("there is no method " + name + " in JSON paths");
    }
  }

  private void keyvalue(JsonNode item, List found) {
    if (!item.isObject()) {
      throw new Misfit("keyvalue() of something that is no object");
    }
    for (Iterator names = item.fieldNames(); names.hasNext(); ) {
      String name = (String) names.next();
      ObjectNode made = NODES.objectNode();
      made.put("name", name);
      made.set("value", (JsonNode) item.get(name));
      made.put("id", 0);
      found.add(made);
    }
  }

  private JsonNode number(List items) {
    List values = unwrapped(items);
    if (values.size() != 1) {
      throw new Misfit("a computation with " + values.size() + " items instead of one");
    }
    return numeric((JsonNode) values.get(0));
  }

  private static JsonNode numeric(JsonNode item) {
    if (!item.isNumber()) {
      throw new Misfit("no number: " + item);
    }
    return item;
  }

  private static JsonNode computed(String operator, JsonNode left, JsonNode right) {
    boolean whole = left.isIntegralNumber() && right.isIntegralNumber();
    char sign = operator.charAt(0);
    try {
      if (whole) {
        long a = left.longValue();
        long b = right.longValue();
        return NODES.numberNode(sign == '+' ? Math.addExact(a, b) : sign == '-' ? Math.subtractExact(a, b)
            : sign == '*' ? Math.multiplyExact(a, b) : sign == '/' ? a / b : a % b);
      }
    } catch (ArithmeticException wrong) {
      throw new Misfit("a computation without a result: " + left + " " + operator + " " + right);
    }
    double a = left.doubleValue();
    double b = right.doubleValue();
    return NODES.numberNode(
        sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : sign == '/' ? a / b : a % b);
  }

  /** Whether a condition holds; null when that is unknown. */
  private Boolean holds(JsonPathNode node, JsonNode current, int last) {
    String kind = node.kind;
    if (kind.equals("and") || kind.equals("or")) {
      Boolean decisive = Boolean.valueOf(kind.equals("or"));
      Boolean left = holds(node.part(0), current, last);
      Boolean right = holds(node.part(1), current, last);
      return decisive.equals(left) || decisive.equals(right) ? decisive
          : left == null || right == null ? null : Boolean.valueOf(!decisive.booleanValue());
    }
    if (kind.equals("not") || kind.equals("unknown")) {
      Boolean inner = holds(node.part(0), current, last);
      return kind.equals("unknown") ? Boolean.valueOf(inner == null)
          : inner == null ? null : Boolean.valueOf(!inner.booleanValue());
    }
    try {
      List left = items(node.part(0), current, last);
      if (kind.equals("exists")) {
        return Boolean.valueOf(!left.isEmpty());
      }
      return anyPair(node, unwrapped(left), unwrapped(items(node.part(1), current, last)));
    } catch (Misfit wrong) {
      return null;
    }
  }

  private Boolean anyPair(JsonPathNode node, List left, List right) {
    boolean found = false;
    boolean unknown = false;
    for (int i = 0; i < left.size(); i++) {
      for (int j = 0; j < right.size(); j++) {
        Boolean one = pair(node, (JsonNode) left.get(i), (JsonNode) right.get(j));
        unknown |= one == null;
        found |= Boolean.TRUE.equals(one);
      }
    }
    return unknown && (!lax || !found) ? null : Boolean.valueOf(found);
  }

  private static Boolean pair(JsonPathNode node, JsonNode left, JsonNode right) {
    if (node.kind.equals("starts")) {
      return left.isTextual() && right.isTextual()
          ? Boolean.valueOf(left.textValue().startsWith(right.textValue())) : null;
    }
    String operator = node.word;
    if (left.isNull() || right.isNull()) {
      boolean same = left.isNull() && right.isNull();
      return Boolean.valueOf(operator.equals("==") || operator.endsWith("=") && operator.charAt(0) != '!'
          ? same : !same && (operator.equals("<>") || operator.equals("!=")));
    }
    int order;
    if (left.isNumber() && right.isNumber()) {
      order = new java.math.BigDecimal(left.asText()).compareTo(new java.math.BigDecimal(right.asText()));
    } else if (left.isTextual() && right.isTextual()) {
      order = left.textValue().compareTo(right.textValue());
    } else if (left.isBoolean() && right.isBoolean()) {
      order = (left.booleanValue() ? 1 : 0) - (right.booleanValue() ? 1 : 0);
    } else {
      return null;
    }
    return Boolean.valueOf(operator.equals("==") ? order == 0
        : operator.equals("<>") || operator.equals("!=") ? order != 0
        : operator.equals("<") ? order < 0 : operator.equals("<=") ? order <= 0
        : operator.equals(">") ? order > 0 : order >= 0);
  }
}
