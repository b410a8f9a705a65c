// Stored AMQP messages: bodies of records of type 45, written by Artemis 2.40.0, and the text that
// release 2.56.0 prints for them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "saranga/bytes/bytes.h"
#include "saranga/message/amqp_message.h"

namespace saranga::test {

/// The bytes of hexadecimal text; blanks are for the reader.
inline std::vector<std::byte> unhex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  std::vector<std::byte> bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ') continue;
    if (high < 0) {
      high = digit(c);
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + digit(c)));
      high = -1;
    }
  }
  return bytes;
}

/// Decodes a record's body, persister id in front.
inline message::amqp::Stored decode_record(Cursor& cursor) {
  message::amqp::Stored stored;
  stored.persister_id = cursor.u8();
  static_cast<void>(message::amqp::decode_stored(cursor, stored));
  return stored;
}

struct AmqpSample {
  std::string_view name;  ///< fixture and record id
  std::string_view body;  ///< hexadecimal
  std::string_view text;
};

inline constexpr AmqpSample kAmqpSamples[] = {
    {"protocols 53",
     "05000000000000003500000000000000000100000014700072006f0074006f002e0061006d007100700000000"
     "023005370c0020141005376d000000014000000035401a10374776f8240080000000000000000003001000000"
     "010000000e5f0041004d0051005f00410044000a00000014700072006f0074006f002e0061006d00710070000"
     "000000000000000",
     "AMQPStandardMessage( [durable=true, messageID=53, address=proto.amqp, size=35, scanningSt"
     "atus=SCANNED, applicationProperties={}, messageAnnotations={}, properties=null, extraProp"
     "erties = TypedProperties[_AMQ_AD=proto.amqp]]"},
    {"protocols 63",
     "05000000000000003f00000000000000000100000014700072006f0074006f002e0061006d007100700000000"
     "16e005370c00a0441500770ee6b280041005372d10000003800000006a30c782d6f70742d637573746f6da103"
     "616e6ea309782d6f70742d696e745405a30e782d6f70742d6a6d732d74797065a1026a74005373d0000000740"
     "000000da10949443a6d696e652d31a005616c696365a10a70726f746f2e616d7170a1077375626a656374a110"
     "70726f746f2e616d71702e7265706c79a104636f7272a30a746578742f706c61696ea304677a697083000001d"
     "1a94a2000830000018bcfe56800a1036772705205a10472677270005374d10000006f00000014a104626f6f6c"
     "41a1046279746551ffa10573686f727461fffea103696e7454fda1046c6f6e6755fca105666c6f6174723fc00"
     "000a106646f75626c6582c004000000000000a106737472696e67a107c3a920f09f9a80a105656d707479a100"
     "a106726567696f6ea1024555005377a10e616c6c2070726f70657274696573005378d10000001100000002a30"
     "4666f6f74a1057072696e7400000000000001d1a94a2000",
     "AMQPStandardMessage( [durable=true, messageID=63, address=proto.amqp, size=366, scanningS"
     "tatus=SCANNED, applicationProperties={bool=true, byte=-1, short=-2, int=-3, long=-4, floa"
     "t=1.5, double=-2.5, string=é 🚀, empty=, region=EU}, messageAnnotations={x-opt-custom=ann,"
     " x-opt-int=5, x-opt-jms-type=jt}, properties=Properties{messageId=ID:mine-1, userId=alice"
     ", to='proto.amqp', subject='subject', replyTo='proto.amqp.reply', correlationId=corr, con"
     "tentType=text/plain, contentEncoding=gzip, absoluteExpiryTime=Wed May 18 03:33:20 UTC 203"
     "3, creationTime=Tue Nov 14 22:13:20 UTC 2023, groupId='grp', groupSequence=5, replyToGrou"
     "pId='rgrp'}, extraProperties = null]"},
    {"protocols 65",
     "05000000000000004100000000000000000100000014700072006f0074006f002e0061006d007100700000000"
     "076005370c0020141005374d10000005400000010a105756279746550c8a1067573686f727460ea60a1047569"
     "6e7470ee6b2800a105756c6f6e675305a10673796d626f6ca30373796da10362696ea0020102a104636861727"
     "300000063a1046e756c6c40005377a10e776964656e696e672074797065730000003001000000010000000e5f"
     "0041004d0051005f00410044000a00000014700072006f0074006f002e0061006d00710070000000000000000"
     "000",
     "AMQPStandardMessage( [durable=true, messageID=65, address=proto.amqp, size=118, scanningS"
     "tatus=SCANNED, applicationProperties={ubyte=200, ushort=60000, uint=4000000000, ulong=5, "
     "symbol=sym, bin=\\x01\\x02, char=c, null=null}, messageAnnotations={}, properties=null, e"
     "xtraProperties = TypedProperties[_AMQ_AD=proto.amqp]]"},
    {"protocols 67",
     "05000000000000004300000000000000000100000014700072006f0074006f002e0061006d007100700000000"
     "04e005370c0020141005373d00000002a000000069800112233445566778899aabbccddeeff40404040980011"
     "2233445566778899aabbccddeeff005377a1106d6573736167652069642074797065730000003001000000010"
     "000000e5f0041004d0051005f00410044000a00000014700072006f0074006f002e0061006d00710070000000"
     "000000000000",
     "AMQPStandardMessage( [durable=true, messageID=67, address=proto.amqp, size=78, scanningSt"
     "atus=SCANNED, applicationProperties={}, messageAnnotations={}, properties=Properties{mess"
     "ageId=00112233-4455-6677-8899-aabbccddeeff, userId=null, to='null', subject='null', reply"
     "To='null', correlationId=00112233-4455-6677-8899-aabbccddeeff, contentType=null, contentE"
     "ncoding=null, absoluteExpiryTime=null, creationTime=null, groupId='null', groupSequence=n"
     "ull, replyToGroupId='null'}, extraProperties = TypedProperties[_AMQ_AD=proto.amqp]]"},
    {"protocols 71",
     "05000000000000004700000000000000000100000014700072006f0074006f002e0061006d007100700000000"
     "034005370c0020141005373d00000001000000006a002050640404040a0020506005377a1106d657373616765"
     "2069642074797065730000003001000000010000000e5f0041004d0051005f00410044000a000000147000720"
     "06f0074006f002e0061006d00710070000000000000000000",
     "AMQPStandardMessage( [durable=true, messageID=71, address=proto.amqp, size=52, scanningSt"
     "atus=SCANNED, applicationProperties={}, messageAnnotations={}, properties=Properties{mess"
     "ageId=\\x05\\x06, userId=null, to='null', subject='null', replyTo='null', correlationId="
     "\\x05\\x06, contentType=null, contentEncoding=null, absoluteExpiryTime=null, creationTime"
     "=null, groupId='null', groupSequence=null, replyToGroupId='null'}, extraProperties = Type"
     "dProperties[_AMQ_AD=proto.amqp]]"},
    {"protocols 160",
     "0500000000000000a00000000000000000010000000644004c00510000000081005370c0020141005372c16b0"
     "6a315782d6f70742d4f5249472d4d4553534147452d4944810000000000000090a310782d6f70742d4f524947"
     "2d5155455545a11070726f746f2e616d71702e61636b6564a312782d6f70742d4f5249472d41444452455353a"
     "11070726f746f2e616d71702e61636b6564005377a10561636b2032000000e90100000004000000225f004100"
     "4d0051005f004f005200490047005f0041004400440052004500530053000a00000020700072006f0074006f0"
     "02e0061006d00710070002e00610063006b0065006400000000285f0041004d0051005f004f00520049004700"
     "5f004d004500530053004100470045005f00490044000700000000000000900000001e5f0041004d0051005f0"
     "04f005200490047005f00510055004500550045000a00000020700072006f0074006f002e0061006d00710070"
     "002e00610063006b00650064000000000e5f0041004d0051005f00410044000a0000000644004c00510000000"
     "00000000000",
     "AMQPStandardMessage( [durable=true, messageID=160, address=DLQ, size=129, scanningStatus="
     "SCANNED, applicationProperties={}, messageAnnotations={x-opt-ORIG-MESSAGE-ID=144, x-opt-O"
     "RIG-QUEUE=proto.amqp.acked, x-opt-ORIG-ADDRESS=proto.amqp.acked}, properties=null, extraP"
     "roperties = TypedProperties[_AMQ_ORIG_MESSAGE_ID=144, _AMQ_ORIG_QUEUE=proto.amqp.acked, _"
     "AMQ_ORIG_ADDRESS=proto.amqp.acked, _AMQ_AD=DLQ]]"},
    {"protocols 450",
     "0500000000000001c200000000000000000100000014700072006f0074006f002e00710070006900640000000"
     "119005370c0020141005372c13f06a312782d6f70742d6a6d732d7265706c792d746f5100a30e782d6f70742d"
     "6a6d732d646573745100a312782d6f70742d6a6d732d6d73672d747970655105005373d0000000710000000ca"
     "12f49443a64373934336333322d323139652d346630352d383837612d6636336661313064616165303a313a31"
     "3a312d3140a10a70726f746f2e71706964a10474797065a11070726f746f2e717069642e7265706c79a104636"
     "f727240404083000001a22ceb94f1a101675202005374c13d10a1016241a10173610002a10164824004000000"
     "000000a10174a10ac3a974c3a920f09f9a80a10166723fc00000a101795101a101695403a1016c5504005377a"
     "10e7465787420c3a920f09f9a802031000000000000000000000000",
     "AMQPStandardMessage( [durable=true, messageID=450, address=proto.qpid, size=281, scanning"
     "Status=SCANNED, applicationProperties={b=true, s=2, d=2.5, t=été 🚀, f=1.5, y=1, i=3, l=4}"
     ", messageAnnotations={x-opt-jms-reply-to=0, x-opt-jms-dest=0, x-opt-jms-msg-type=5}, prop"
     "erties=Properties{messageId=ID:d7943c32-219e-4f05-887a-f63fa10daae0:1:1:1-1, userId=null,"
     " to='proto.qpid', subject='type', replyTo='proto.qpid.reply', correlationId=corr, content"
     "Type=null, contentEncoding=null, absoluteExpiryTime=null, creationTime=Mon Nov 30 14:46:0"
     "6 UTC 2026, groupId='g', groupSequence=2, replyToGroupId='null'}, extraProperties = null]"},
    {"large 164",
     "0400000000000000a4ff000000000000000001000000106200690067002e0061006d00710070000000002c010"
     "00000010000000e5f0041004d0051005f00410044000a000000106200690067002e0061006d00710070000000"
     "000000000007005370c0020141ffffffff00000000ffffffff4000000007005373d00000000e00000001a1084"
     "9443a6c617267650000001d00000094005374c16c14a104626f6f6c41a1046279746551ffa10573686f727461"
     "fffea103696e7454fda1046c6f6e6755fca105666c6f6174723fc00000a106646f75626c6582c004000000000"
     "000a106737472696e67a107c3a920f09f9a80a105656d707479a100a106726567696f6ea10245550000000000"
     "00000000",
     "AMQPLargeMessage( [durable=true, messageID=164, address=big.amqp, size=0, scanningStatus="
     "SCANNED, applicationProperties={bool=true, byte=-1, short=-2, int=-3, long=-4, float=1.5,"
     " double=-2.5, string=é 🚀, empty=, region=EU}, messageAnnotations={}, properties=Propertie"
     "s{messageId=ID:large, userId=null, to='null', subject='null', replyTo='null', correlation"
     "Id=null, contentType=null, contentEncoding=null, absoluteExpiryTime=null, creationTime=nu"
     "ll, groupId='null', groupSequence=null, replyToGroupId='null'}, extraProperties = TypedPr"
     "operties[_AMQ_AD=big.amqp]]"},
    {"large 166",
     "0400000000000000a6ff000000000000000001000000106200690067002e0061006d00710070000000002c010"
     "00000010000000e5f0041004d0051005f00410044000a000000106200690067002e0061006d00710070000000"
     "000000000009005370c00402415008ffffffff0000000000000009005372c11602a30c782d6f70742d6375737"
     "46f6da1056c61726765ffffffff40ffffffff0000002a40000000000000000000",
     "AMQPLargeMessage( [durable=true, messageID=166, address=big.amqp, size=0, scanningStatus="
     "SCANNED, applicationProperties={}, messageAnnotations={x-opt-custom=large}, properties=nu"
     "ll, extraProperties = TypedProperties[_AMQ_AD=big.amqp]]"},
    {"unconvertible 21",
     "050000000000000015000000000000000001000000186200610064002e0061006d00710070002e006d0061007"
     "0000000002a005370c0020141005377d10000001b00000002a1066e6573746564d10000000a00000002a1016b"
     "a101760000003401000000010000000e5f0041004d0051005f00410044000a000000186200610064002e00610"
     "06d00710070002e006d00610070000000000000000000",
     "AMQPStandardMessage( [durable=true, messageID=21, address=bad.amqp.map, size=42, scanning"
     "Status=SCANNED, applicationProperties={}, messageAnnotations={}, properties=null, extraPr"
     "operties = TypedProperties[_AMQ_AD=bad.amqp.map]]"},
    {"unconvertible 50",
     "050000000000000032000000000000000001000000106200610064002e0061006d00710070000000003700537"
     "0c0020141005374d10000001100000002a1027473830000018bcfe56800005377a11274696d657374616d7020"
     "70726f70657274790000002c01000000010000000e5f0041004d0051005f00410044000a00000010620061006"
     "4002e0061006d00710070000000000000000000",
     "AMQPStandardMessage( [durable=true, messageID=50, address=bad.amqp, size=55, scanningStat"
     "us=SCANNED, applicationProperties={ts=Tue Nov 14 22:13:20 UTC 2023}, messageAnnotations={"
     "}, properties=null, extraProperties = TypedProperties[_AMQ_AD=bad.amqp]]"},
};

}  // namespace saranga::test
