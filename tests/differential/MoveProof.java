import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.api.core.ActiveMQBuffers;
import org.apache.activemq.artemis.api.core.ICoreMessage;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.cli.Artemis;
import org.apache.activemq.artemis.cli.commands.ActionContext;
import org.apache.activemq.artemis.core.message.LargeBodyReader;
import org.apache.activemq.artemis.core.postoffice.AddressManager;
import org.apache.activemq.artemis.core.postoffice.Binding;
import org.apache.activemq.artemis.core.postoffice.PostOffice;
import org.apache.activemq.artemis.core.postoffice.impl.LocalQueueBinding;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.LargeServerMessage;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;

/**
 * Starts one broker after the other in one process, and writes down what each holds, as JSON Lines.
 * A line of standard input is a job, its words are divided by tabs:
 *   view BROKER_XML FILE               what the broker holds as soon as it is up
 *   imp BROKER_XML FILE PORT EXPORT COUNT   the same after Artemis' own `data imp` of a document, as
 *                                      soon as there are so many messages on queues
 * For each job, standard output gets a line DONE or FAILED; what a broker logs goes to standard error
 * in front of a line END.
 */
public class MoveProof {
   static ActiveMQServer server;

   public static void main(String[] arguments) throws Exception {
      PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
      // Before any logger looks where to write to.
      System.setOut(System.err);
      BufferedReader jobs = new BufferedReader(
         new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
         String problem = null;
         try {
            run(line.split("\t"));
         } catch (Throwable thrown) {
            thrown.printStackTrace();
            problem = thrown.toString();
         }
         System.err.println("END");
         System.err.flush();
         answers.println(problem == null ? "DONE" : "FAILED " + problem.replace('\n', ' '));
      }
      // The threads of a broker would keep the process alive.
      System.exit(0);
   }

   static void run(String[] words) throws Exception {
      EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
      broker.setConfigResourcePath(new File(words[1]).toURI().toString());
      broker.start();
      try {
         server = broker.getActiveMQServer();
         if (words[0].equals("imp")) {
            artemis(new File(words[1]).getParentFile(), "data", "imp", "--host", "127.0.0.1",
                    "--port", words[3], "--user", "any", "--password", "any", "--input", words[4]);
            waitFor(Long.parseLong(words[5]));
         }
         try (BufferedWriter out = Files.newBufferedWriter(Path.of(words[2]))) {
            for (Map<String, Object> each : view()) {
               out.write(Lines.json(each) + "\n");
            }
         }
      } finally {
         broker.stop();
      }
   }

   /** A client may know of its commit before the queues do. */
   static void waitFor(long messages) throws Exception {
      for (int attempt = 0; attempt < 100 && count() < messages; attempt++) {
         Thread.sleep(20);
      }
   }

   static long count() throws Exception {
      long sum = 0;
      for (Binding binding : bindings()) {
         if (binding instanceof LocalQueueBinding) {
            sum += ((LocalQueueBinding) binding).getQueue().getMessageCount();
         }
      }
      return sum;
   }

   /** Runs a command as the script of an instance does; the arguments differ from release to release. */
   static void artemis(File instance, String... command) throws Exception {
      for (Method method : Artemis.class.getMethods()) {
         List<Class<?>> types = Arrays.asList(method.getParameterTypes());
         if (!method.getName().equals("internalExecute") || !types.contains(ActionContext.class)) {
            continue;
         }
         Object[] arguments = new Object[types.size()];
         for (int i = 0; i < arguments.length; i++) {
            Class<?> type = types.get(i);
            arguments[i] = type == File.class ? instance : type == boolean.class ? (Object) false
                           : type == String[].class ? command : new ActionContext();
         }
         method.invoke(null, arguments);
         return;
      }
      throw new NoSuchMethodException("internalExecute");
   }

   // ---- what a broker holds ---------------------------------------------------------------------

   static List<Map<String, Object>> view() throws Exception {
      List<Map<String, Object>> all = new ArrayList<>();
      for (SimpleString name : server.getPostOffice().getAddresses()) {
         Map<String, Object> line = new LinkedHashMap<>();
         line.put("type", "address");
         line.put("name", name.toString());
         line.put("routing_types", server.getPostOffice().getAddressInfo(name).getRoutingTypes()
                                      .stream().map(Enum::name).sorted().toArray());
         all.add(line);
      }
      for (Binding binding : bindings()) {
         if (binding instanceof LocalQueueBinding) {
            queue(((LocalQueueBinding) binding).getQueue(), all);
         }
      }
      for (Object xid : server.getResourceManager().getPreparedTransactions()) {
         Map<String, Object> line = new LinkedHashMap<>();
         line.put("type", "prepared");
         // The first number is the identity of an object.
         line.put("xid", xid.toString().replaceFirst("\\(\\d+ ", "("));
         all.add(line);
      }
      return all;
   }

   static void queue(Queue queue, List<Map<String, Object>> all) throws Exception {
      if (queue.isTemporary() || !queue.isDurable()) {
         return;
      }
      queue.flushExecutor(); // what was just sent is not to be seen before
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("type", "queue");
      line.put("name", queue.getName().toString());
      line.put("id", queue.getID());
      line.put("address", queue.getAddress().toString());
      line.put("routing_type", queue.getRoutingType().name());
      line.put("filter", queue.getFilter() == null ? null
                            : queue.getFilter().getFilterString().toString());
      line.put("count", queue.getMessageCount());
      line.put("paused", queue.isPaused());
      all.add(line);
      LinkedListIterator<MessageReference> references = queue.browserIterator();
      while (references.hasNext()) {
         try {
            all.add(message(queue, references.next()));
         } catch (NoSuchElementException end) {
            break; // 2.19 finds out so late that the last page is read
         }
      }
      references.close();
      for (MessageReference reference : queue.getScheduledMessages()) {
         all.add(message(queue, reference));
      }
   }

   static Map<String, Object> message(Queue queue, MessageReference reference) throws Exception {
      Message message = reference.getMessage();
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("type", "message");
      line.put("queue", queue.getName().toString());
      line.put("id", message.getMessageID());
      line.put("address", message.getAddress());
      line.put("durable", message.isDurable());
      line.put("priority", message.getPriority());
      line.put("expiration", message.getExpiration());
      line.put("timestamp", message.getTimestamp());
      line.put("user_id", message.getUserID() == null ? null : message.getUserID().toString());
      line.put("delivery_count", reference.getDeliveryCount());
      line.put("scheduled", reference.getScheduledDeliveryTime());
      line.put("paged", reference.isPaged());
      boolean core = message instanceof ICoreMessage;
      line.put("protocol", core ? "core" : "other");
      line.put("large", message.isLargeMessage());
      if (core) {
         core((ICoreMessage) message, line);
      }
      line.put("stored", digestOfStored(message));
      if (message.isLargeMessage()) {
         large((LargeServerMessage) message, line);
      }
      return line;
   }

   static void core(ICoreMessage message, Map<String, Object> line) {
      line.put("message_type", (int) message.getType());
      Map<String, Object> properties = new TreeMap<>();
      for (SimpleString name : message.getPropertyNames()) {
         properties.put(name.toString(), value(message.getObjectProperty(name)));
      }
      line.put("properties", properties);
      if (!message.isLargeMessage()) {
         ActiveMQBuffer body = message.getReadOnlyBodyBuffer();
         byte[] bytes = new byte[body.readableBytes()];
         body.readBytes(bytes);
         line.put("body", Lines.base64(bytes));
      }
   }

   static Map<String, Object> value(Object value) {
      Map<String, Object> typed = new TreeMap<>();
      typed.put("type", value == null ? "null" : value.getClass().getSimpleName().toLowerCase());
      if (value instanceof byte[]) {
         typed.put("type", "bytes");
         typed.put("value", Lines.base64((byte[]) value));
      } else if (value instanceof Float) {
         typed.put("bits", Float.floatToRawIntBits((Float) value));
      } else if (value instanceof Double) {
         typed.put("bits", Double.doubleToRawLongBits((Double) value));
      } else if (value != null) {
         typed.put("value", value instanceof Number || value instanceof Boolean ? value
                               : value.toString());
      }
      return typed;
   }

   /**
    * Of the message as the broker stores it: whatever its protocol, nothing may be different. Core
    * messages with a body in a file can be encoded while they are delivered only.
    */
   static String digestOfStored(Message message) throws Exception {
      if (message instanceof ICoreMessage && message.isLargeMessage()) {
         return null;
      }
      ActiveMQBuffer buffer = ActiveMQBuffers.dynamicBuffer(1024);
      message.getPersister().encode(buffer, message);
      byte[] bytes = new byte[buffer.readableBytes()];
      buffer.readBytes(bytes);
      return Lines.hex(MessageDigest.getInstance("SHA-256").digest(bytes));
   }

   static void large(LargeServerMessage message, Map<String, Object> line) throws Exception {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      long size = 0;
      try (LargeBodyReader reader = message.getLargeBodyReader()) {
         reader.open();
         ByteBuffer buffer = ByteBuffer.allocate(100 * 1024);
         for (size = reader.getSize(); reader.position() < size; ) {
            buffer.clear();
            buffer.limit((int) Math.min(buffer.capacity(), size - reader.position()));
            int got = reader.readInto(buffer);
            if (got <= 0) {
               break;
            }
            digest.update(buffer.array(), 0, got);
         }
      }
      line.put("body_bytes", size);
      line.put("body_sha256", Lines.hex(digest.digest()));
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
}
