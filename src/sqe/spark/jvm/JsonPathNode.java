package sqe.jvm;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** A part of a path of SQL/JSON: what it does, on what, with which word or value. */
final class JsonPathNode {
  final String kind;
  final String word;
  final JsonNode literal;
  final List parts = new ArrayList();

  JsonPathNode(String kind, String word, JsonNode literal) {
    this.kind = kind;
    this.word = word;
    this.literal = literal;
  }

  JsonPathNode with(JsonPathNode part) {
    parts.add(part);
    return this;
  }

  JsonPathNode part(int number) {
    return (JsonPathNode) parts.get(number);
  }
}
