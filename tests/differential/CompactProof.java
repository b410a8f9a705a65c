import java.io.File;
import java.io.Writer;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
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
 * A broker that tells what it holds, from inside, and stops:
 * CompactProof BROKER_XML PORT view FILE   writes a line for each thing that it holds
 * CompactProof BROKER_XML PORT hold        runs until it is killed
 * Prints READY when it is up, STOPPED at the end.
 */
public class CompactProof {
   static ActiveMQServer server;

   public static void main(String[] arguments) {
      try {
         EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
         broker.setConfigResourcePath(new File(arguments[0]).toURI().toString());
         broker.start();
         server = broker.getActiveMQServer();
         System.out.println("READY");
         if (arguments[2].equals("hold")) {
            Thread.sleep(Long.MAX_VALUE);
         }
         try (Writer out = Files.newBufferedWriter(Path.of(arguments[3]))) {
            for (String line : view()) {
               out.write(line + "\n");
            }
         }
         broker.stop();
         System.out.println("STOPPED");
         System.exit(0);
      } catch (Throwable problem) {
         // The threads of a broker would keep the process alive.
         problem.printStackTrace();
         System.exit(1);
      }
   }

   static List<String> view() throws Exception {
      List<String> lines = new ArrayList<>();
      for (Binding binding : bindings()) {
         if (!(binding instanceof LocalQueueBinding)) {
            continue;
         }
         Queue queue = ((LocalQueueBinding) binding).getQueue();
         if (queue.isTemporary() || !queue.isDurable()) {
            continue;
         }
         String name = "queue " + queue.getName();
         // A broker makes this one when it starts, with a new id.
         boolean made = queue.getName().toString().startsWith("$sys.");
         lines.add(name + ": id " + (made ? "new" : queue.getID()) + ", address " + queue.getAddress() + ", count "
                   + queue.getMessageCount() + ", paused " + queue.isPaused());
         int position = 0;
         LinkedListIterator<MessageReference> references = queue.browserIterator();
         while (references.hasNext()) {
            MessageReference reference;
            try {
               reference = references.next();
            } catch (NoSuchElementException end) {
               break; // 2.19 finds out so late that the last page is read
            }
            lines.add(String.format("%s: %06d %s", name, position++, text(reference)));
         }
         references.close();
         List<String> scheduled = new ArrayList<>();
         for (MessageReference reference : queue.getScheduledMessages()) {
            scheduled.add(name + ": scheduled " + text(reference));
         }
         scheduled.sort(null);
         lines.addAll(scheduled);
      }
      caches(lines);
      lines.add("prepared " + new TreeMap<>(prepared()));
      for (String what : List.of("recoverAddressSettings", "recoverSecuritySettings",
                                 "recoverDivertConfigurations", "recoverBridgeConfigurations",
                                 "recoverConnectors", "getPersistedUsers", "getPersistedRoles")) {
         stored(what, lines);
      }
      lines.add("node " + server.getNodeID());
      lines.sort(null);
      return lines;
   }

   static String text(MessageReference reference) {
      return "message " + reference.getMessage().getMessageID() + ", deliveries "
             + reference.getDeliveryCount() + ", scheduled " + schedule(reference)
             + ", paged " + reference.isPaged() + ", priority "
             + reference.getMessage().getPriority();
   }

   // A delay of AMQP counts from the start of the broker.
   static Object schedule(MessageReference reference) {
      boolean core = reference.getMessage().getClass().getSimpleName().contains("Core");
      long time = reference.getScheduledDeliveryTime();
      return core || time == 0 ? time : "later";
   }

   static Collection<Binding> bindings() throws Exception {
      Object all;
      try {
         all = PostOffice.class.getMethod("getAllBindings").invoke(server.getPostOffice());
      } catch (NoSuchMethodException older) {
         Object manager = field(server.getPostOffice(), "addressManager");
         all = AddressManager.class.getMethod("getBindings").invoke(manager);
      }
      if (all instanceof Map) {
         all = ((Map<?, ?>) all).values().stream();
      }
      List<Binding> bindings = new ArrayList<>();
      ((java.util.stream.Stream<?>) all).forEach(binding -> bindings.add((Binding) binding));
      return bindings;
   }

   static void caches(List<String> lines) throws Exception {
      Map<?, ?> caches = (Map<?, ?>) field(server.getPostOffice(), "duplicateIDCaches");
      for (Map.Entry<?, ?> cache : caches.entrySet()) {
         Method map = cache.getValue().getClass().getMethod("getMap");
         map.setAccessible(true);
         lines.add("duplicate ids of " + cache.getKey() + ": "
                   + ((List<?>) map.invoke(cache.getValue())).size());
      }
   }

   static Map<String, String> prepared() throws Exception {
      Map<String, String> transactions = new TreeMap<>();
      for (Object xid : server.getResourceManager().getPreparedTransactions()) {
         // The first number is the identity of an object.
         transactions.put(xid.toString().replaceFirst("\\(\\d+ ", "("), "");
      }
      return transactions;
   }

   static void stored(String what, List<String> lines) {
      Object value;
      try {
         Method method = server.getStorageManager().getClass().getMethod(what);
         method.setAccessible(true);
         value = method.invoke(server.getStorageManager());
      } catch (Exception none) {
         return; // not in this release
      }
      if (value instanceof Map) {
         value = ((Map<?, ?>) value).values();
      }
      lines.add(what + ": " + ((Collection<?>) value).size());
   }

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
