import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.api.core.ICoreMessage;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.Pair;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.paging.PagingStore;
import org.apache.activemq.artemis.core.postoffice.AddressManager;
import org.apache.activemq.artemis.core.postoffice.Binding;
import org.apache.activemq.artemis.core.postoffice.PostOffice;
import org.apache.activemq.artemis.core.postoffice.impl.LocalQueueBinding;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;

/**
 * Brokers that tell what they hold, from inside, and stop:
 * BrokerView serve                       reads lines "BROKER_XML TAB FILE" from standard input; for
 *                                        each it starts a broker, writes its view, stops it, and
 *                                        says VIEWED or FAILED
 * BrokerView BROKER_XML PORT view FILE   the same once; says READY and STOPPED
 * BrokerView BROKER_XML PORT hold        says READY and runs until it is killed
 * A view is a line of JSON for each thing that is there.
 */
public class BrokerView {
   static final List<String> QUEUE = List.of(
      "getMessageCount", "getScheduledCount", "isPaused", "isDurable", "getRoutingType",
      "isExclusive", "isLastValue", "getLastValueKey", "isNonDestructive", "getRingSize", "getUser",
      "getMaxConsumers", "isPurgeOnNoConsumers", "isGroupRebalance", "getGroupBuckets",
      "getGroupFirstKey", "isInternalQueue", "isEnabled", "getConsumersBeforeDispatch",
      "getDelayBeforeDispatch", "isAutoDelete", "isConfigurationManaged", "isAutoCreated");
   static final List<String> STORED =
      List.of("recoverAddressSettings", "recoverSecuritySettings", "recoverDivertConfigurations",
              "recoverBridgeConfigurations", "recoverConnectors", "getPersistedUsers",
              "getPersistedRoles", "getPersistedKeyValuePairs");
   static final List<String> KEYS =
      List.of("getAddressMatch", "getName", "getUsername", "getUrl", "getRoles");

   static ActiveMQServer server;

   public static void main(String[] arguments) throws Exception {
      if (arguments[0].equals("serve")) {
         serve();
         System.exit(0);
      }
      try {
         EmbeddedActiveMQ broker = start(arguments[0]);
         System.out.println("READY");
         if (arguments[2].equals("hold")) {
            Thread.sleep(Long.MAX_VALUE);
         }
         write(arguments[3]);
         broker.stop();
         System.out.println("STOPPED");
         System.exit(0);
      } catch (Throwable problem) {
         // The threads of a broker would keep the process alive.
         problem.printStackTrace();
         System.exit(1);
      }
   }

   static void serve() throws Exception {
      BufferedReader jobs =
         new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String job; (job = jobs.readLine()) != null;) {
         String[] words = job.split("\t");
         try {
            EmbeddedActiveMQ broker = start(words[0]);
            try {
               write(words[1]);
            } finally {
               broker.stop();
            }
            System.err.flush();
            System.out.println("\nVIEWED");
         } catch (Throwable problem) {
            problem.printStackTrace();
            System.err.flush();
            System.out.println("\nFAILED");
         }
         System.out.flush();
      }
   }

   static EmbeddedActiveMQ start(String xml) throws Exception {
      EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
      broker.setConfigResourcePath(new File(xml).toURI().toString());
      broker.start();
      server = broker.getActiveMQServer();
      if (!server.isActive()) {
         // A broker that could not load its journals says so in its log only.
         broker.stop();
         throw new IllegalStateException("the broker is not active");
      }
      return broker;
   }

   static void write(String file) throws Exception {
      List<String> lines = new ArrayList<>();
      for (Map<String, Object> thing : view()) {
         lines.add(Lines.json(thing));
      }
      Files.write(Path.of(file), lines, StandardCharsets.UTF_8);
   }

   // ---- what there is ---------------------------------------------------------------------------

   static List<Map<String, Object>> view() throws Exception {
      List<Map<String, Object>> things = new ArrayList<>();
      for (Binding binding : bindings()) {
         if (binding instanceof LocalQueueBinding) {
            Queue queue = ((LocalQueueBinding) binding).getQueue();
            if (!queue.isTemporary() && queue.isDurable()) {
               queue(queue, things);
            }
         } else {
            add(things, "binding", "class", binding.getClass().getSimpleName(), "name",
                binding.getUniqueName(), "address", binding.getAddress(), "filter",
                filter(binding.getFilter()));
         }
      }
      for (SimpleString name : server.getPostOffice().getAddresses()) {
         address(name, things);
      }
      duplicates(things);
      transactions(things);
      for (String what : STORED) {
         stored(what, things);
      }
      add(things, "node", "id", server.getNodeID());
      return things;
   }

   // A broker counts what is in pages, and reads the first of them, while it is up already.
   static void settle(Queue queue) throws Exception {
      if (queue.getPageSubscription() == null || !queue.getPageSubscription().isPaging()) {
         return;
      }
      String before = "";
      for (int same = 0; same < 3; Thread.sleep(40)) {
         Object rebuilding = call(queue.getPageSubscription().getCounter(), "isRebuilding");
         String now = queue.getMessageCount() + " " + queue.getScheduledCount();
         same = now.equals(before) && !Boolean.TRUE.equals(rebuilding) ? same + 1 : 0;
         before = now;
      }
   }

   static void queue(Queue queue, List<Map<String, Object>> things) throws Exception {
      settle(queue);
      Map<String, Object> line =
         add(things, "queue", "name", queue.getName(), "id", queue.getID(), "address",
             queue.getAddress(), "filter", filter(queue.getFilter()));
      for (String getter : QUEUE) {
         property(line, queue, getter);
      }
      int position = 0;
      LinkedListIterator<MessageReference> references = queue.browserIterator();
      while (references.hasNext()) {
         MessageReference reference;
         try {
            reference = references.next();
         } catch (NoSuchElementException end) {
            break; // 2.19 finds out so late that the last page is read
         }
         message(queue, "messages", position++, reference, things);
      }
      references.close();
      List<MessageReference> scheduled = new ArrayList<>(queue.getScheduledMessages());
      scheduled.sort(
         (one, other)
            -> Long.compare(one.getMessage().getMessageID(), other.getMessage().getMessageID()));
      position = 0;
      for (MessageReference reference : scheduled) {
         message(queue, "scheduled", position++, reference, things);
      }
   }

   static void address(SimpleString name, List<Map<String, Object>> things) throws Exception {
      Object info = server.getPostOffice().getAddressInfo(name);
      if (info == null) {
         return;
      }
      Map<String, Object> line = add(things, "address", "name", name);
      List<String> types = new ArrayList<>();
      ((Collection<?>) call(info, "getRoutingTypes")).forEach(type -> types.add(type.toString()));
      types.sort(null);
      line.put("routingTypes", types);
      line.put("id", call(info, "getId"));
      for (String getter : List.of("isAutoCreated", "isInternal", "isPaused")) {
         property(line, info, getter);
      }
      PagingStore pages = Arrays.asList(server.getPagingManager().getStoreNames()).contains(name)
                             ? server.getPagingManager().getPageStore(name)
                             : null;
      if (pages != null) {
         line.put("paging", pages.isPaging());
         line.put("numberOfPages", call(pages, "getNumberOfPages"));
      }
   }

   static Collection<Binding> bindings() throws Exception {
      Object all;
      try {
         all = PostOffice.class.getMethod("getAllBindings").invoke(server.getPostOffice());
      } catch (NoSuchMethodException older) {
         Object manager = Lines.field(server.getPostOffice(), "addressManager");
         all = AddressManager.class.getMethod("getBindings").invoke(manager);
      }
      if (all instanceof Map) {
         all = ((Map<?, ?>) all).values().stream();
      }
      List<Binding> bindings = new ArrayList<>();
      ((Stream<?>) all).forEach(binding -> bindings.add((Binding) binding));
      return bindings;
   }

   static void duplicates(List<Map<String, Object>> things) throws Exception {
      Map<?, ?> caches = (Map<?, ?>) Lines.field(server.getPostOffice(), "duplicateIDCaches");
      for (Map.Entry<?, ?> cache : caches.entrySet()) {
         List<String> ids = new ArrayList<>();
         for (Object pair : (List<?>) call(cache.getValue(), "getMap")) {
            ids.add(Lines.hex((byte[]) ((Pair<?, ?>) pair).getA()));
         }
         if (!ids.isEmpty()) {
            add(things, "duplicates", "cache", cache.getKey(), "ids", ids);
         }
      }
   }

   static void transactions(List<Map<String, Object>> things) throws Exception {
      Object control = server.getActiveMQServerControl();
      for (String outcome : List.of("Committed", "RolledBack")) {
         Object xids = call(control, "listHeuristic" + outcome + "Transactions");
         for (Object xid : (Object[]) xids) {
            add(things, "heuristic", "outcome", outcome, "xid", xid);
         }
      }
      Object details = call(control, "listPreparedTransactionDetailsAsJSON");
      add(things, "prepared", "count", server.getResourceManager().getPreparedTransactions().size(),
          "details", details == null || details.equals("") ? null : new Lines.Json((String) details));
   }

   static void stored(String what, List<Map<String, Object>> things) throws Exception {
      Object value = call(server.getStorageManager(), what);
      if (value instanceof Map) {
         value = ((Map<?, ?>) value).values();
      }
      if (!(value instanceof Collection)) {
         return; // not in this release
      }
      for (Object setting : (Collection<?>) value) {
         Map<String, Object> line =
            add(things, "stored", "what", what.replaceFirst("recover|get", ""));
         line.put("text", setting.toString().replaceAll("@[0-9a-f]{4,8}\\b", "@"));
         for (String getter : KEYS) {
            property(line, setting, getter);
         }
      }
   }

   // ---- messages --------------------------------------------------------------------------------

   static void message(Queue queue, String list, int position, MessageReference reference,
                       List<Map<String, Object>> things) throws Exception {
      Message message = reference.getMessage();
      String kind = message.getClass().getSimpleName();
      Map<String, Object> line =
         add(things, "message", "queue", queue.getName(), "list", list, "position", position, "id",
             message.getMessageID(), "class", kind, "deliveryCount", reference.getDeliveryCount(),
             "scheduledTime", reference.getScheduledDeliveryTime(), "paged", reference.isPaged(),
             "priority", message.getPriority(), "durable", message.isDurable(), "address",
             message.getAddress());
      if (kind.equals("AMQPStandardMessage")) {
         ByteBuffer bytes = ((ByteBuffer) call(call(message, "getData"), "byteBuffer")).duplicate();
         bytes.rewind();
         content(line, "amqp", bytes);
      } else if (message instanceof ICoreMessage) {
         core(line, (ICoreMessage) message);
      }
      if (message.isLargeMessage()) {
         Path body = server.getConfiguration().getLargeMessagesLocation().toPath().resolve(
            message.getMessageID() + ".msg");
         if (Files.exists(body)) {
            content(line, "large", ByteBuffer.wrap(Files.readAllBytes(body)));
         }
      }
   }

   static void core(Map<String, Object> line, ICoreMessage message) throws Exception {
      line.put("type", message.getType());
      line.put("timestamp", message.getTimestamp());
      line.put("expiration", message.getExpiration());
      line.put("userID", message.getUserID());
      Map<String, Object> properties = new TreeMap<>();
      for (SimpleString name : message.getPropertyNames()) {
         properties.put(name.toString(), describe(message.getObjectProperty(name)));
      }
      line.put("properties", properties);
      if (!message.isLargeMessage()) {
         ActiveMQBuffer body = message.getReadOnlyBodyBuffer();
         byte[] bytes = new byte[body.readableBytes()];
         body.readBytes(bytes);
         content(line, "body", ByteBuffer.wrap(bytes));
      }
   }

   // Type, text, and the bits of a number that a text may not tell exactly.
   static List<String> describe(Object value) {
      if (value == null) {
         return List.of("null");
      }
      String type = value.getClass().getSimpleName();
      if (value instanceof byte[]) {
         return List.of(type, Lines.base64((byte[]) value), "");
      }
      String bits = "";
      if (value instanceof Float) {
         bits = String.format("%08x", Float.floatToRawIntBits((Float) value));
      } else if (value instanceof Double) {
         bits = String.format("%016x", Double.doubleToRawLongBits((Double) value));
      }
      return List.of(type, value.toString(), bits);
   }

   static void content(Map<String, Object> line, String what, ByteBuffer bytes) throws Exception {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      line.put(what + "Length", bytes.remaining());
      digest.update(bytes);
      line.put(what + "Sha256", Lines.hex(digest.digest()));
   }

   // ---- tools -----------------------------------------------------------------------------------

   static Map<String, Object> add(List<Map<String, Object>> things, String kind,
                                  Object... members) {
      Map<String, Object> line = new TreeMap<>(Map.of("kind", kind));
      for (int i = 0; i < members.length; i += 2) {
         line.put((String) members[i], members[i + 1]);
      }
      things.add(line);
      return line;
   }

   static String filter(org.apache.activemq.artemis.core.filter.Filter filter) {
      return filter == null ? null : filter.getFilterString().toString();
   }

   // Puts what a getter gives under its name without the verb, if the object has that getter.
   static void property(Map<String, Object> line, Object object, String getter) throws Exception {
      if (method(object, getter) != null) {
         String name = getter.replaceFirst("^(get|is)", "");
         line.put(Character.toLowerCase(name.charAt(0)) + name.substring(1), call(object, getter));
      }
   }

   static Method method(Object object, String name) {
      for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
         try {
            Method method = c.getDeclaredMethod(name);
            method.setAccessible(true);
            return method;
         } catch (NoSuchMethodException higher) {
            continue;
         }
      }
      return null;
   }

   static Object call(Object object, String name) throws Exception {
      Method method = method(object, name);
      return method == null ? null : method.invoke(object);
   }
}
