import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Map;
import java.util.StringJoiner;

/** What the programs beside this one say of a broker: lines of JSON, and what they are made of. */
class Lines {
   private Lines() {
   }

   /** A text that is JSON already. */
   static class Json {
      final String text;

      Json(String text) {
         this.text = text;
      }
   }

   /** Of maps, collections, arrays, numbers, booleans, null; anything else is its text. ASCII only. */
   static String json(Object value) {
      if (value instanceof Json) {
         return ((Json) value).text;
      }
      if (value == null || value instanceof Boolean || value instanceof Number) {
         return String.valueOf(value);
      }
      if (value instanceof Map) {
         StringJoiner members = new StringJoiner(",", "{", "}");
         ((Map<?, ?>) value)
            .forEach((name, member) -> members.add(json(name.toString()) + ":" + json(member)));
         return members.toString();
      }
      if (value instanceof Object[]) {
         return json(Arrays.asList((Object[]) value));
      }
      if (value instanceof Collection) {
         StringJoiner items = new StringJoiner(",", "[", "]");
         ((Collection<?>) value).forEach(item -> items.add(json(item)));
         return items.toString();
      }
      StringBuilder text = new StringBuilder("\"");
      for (char c : value.toString().toCharArray()) {
         boolean plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
         text.append(plain ? String.valueOf(c) : String.format("\\u%04x", (int) c));
      }
      return text.append('"').toString();
   }

   static String base64(byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
   }

   static String hex(byte[] bytes) {
      StringBuilder text = new StringBuilder();
      for (byte each : bytes) {
         text.append(String.format("%02x", each));
      }
      return text.toString();
   }

   /** The value of a field that the object's class, or one above it, keeps for itself. */
   static Object field(Object object, String name) throws Exception {
      for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
         try {
            Field field = c.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
         } catch (NoSuchFieldException higher) {
            continue;
         }
      }
      throw new NoSuchFieldException(name);
   }
}
