/* The words of PTX, up to ISA 9.5.
 *
 * Opcodes and modifiers are generic dotted words, so that a new instruction, type or qualifier
 * needs no change here; what they mean is the business of the instruction table.
 * src/parse/scanner.cpp produces the same tokens faster; a test holds the two against each other.  They differ in one
 * thing: the scanner makes one OPAQUE token of a directive that it does not know (its header says
 * when), while here such a directive falls apart into its words. */
lexer grammar PtxLexer;

tokens { OPAQUE }

// ---- directives of modules and functions --------------------------------------
VERSION        : '.version' ;
TARGET         : '.target' ;
ADDRESS_SIZE   : '.address_size' ;
LINKAGE        : '.visible' | '.extern' | '.weak' | '.common' ;
ENTRY          : '.entry' ;
FUNC           : '.func' ;
ALIAS          : '.alias' ;
PRAGMA         : '.pragma' ;
BRANCHTARGETS  : '.branchtargets' ;
CALLTARGETS    : '.calltargets' ;
CALLPROTOTYPE  : '.callprototype' ;

// ---- debug information ---------------------------------------------------------
FILE             : '.file' ;
LOC              : '.loc' ;
LOC_INTERMEDIATE : '.loc_intermediate' ;
SECTION          : '.section' ;
SOURCE_SECTION   : '.nv_intermediate_source_section' ;
// Whatever stands on the lines between; lines end alike at both ends.
SOURCE_TEXT      : '.source_begin' BLANK* '\n' LINE*? BLANK* '.source_end' BLANK* '\n'
                 | '.source_begin' BLANK* '\r\n' LINE*? BLANK* '.source_end' BLANK* '\r\n' ;
SOURCE_BEGIN     : '.source_begin' ;                       // without an end: an error
fragment BLANK   : [ \t] ;
fragment LINE    : ~[\n]* '\n' ;
DWARF            : '@@DWARF' ~[\n]* ;                      // PTX 1.x

// ---- declarations --------------------------------------------------------------
SPACE          : '.reg' | '.sreg' | '.param' | '.local' | '.shared' | '.global' | '.tex'
               | '.const' BANK? ;
ALIGN          : '.align' ;
ATTRIBUTE      : '.attribute' ;

// ---- literals: before the words, because .5 is a number ------------------------
FLOAT          : '0' [fF] HEX4 HEX4
               | '0' [dD] HEX4 HEX4 HEX4 HEX4
               | [0-9]+ '.' [0-9]* EXPONENT?
               | '.' [0-9]+ EXPONENT?
               | [0-9]+ EXPONENT ;
INT            : ( '0' [xX] HEX+ | '0' [bB] [01]+ | [0-9]+ ) 'U'? ;
STRING         : '"' ~["]* '"' ;                           // no escapes
fragment HEX      : [0-9a-fA-F] ;
fragment HEX4     : HEX HEX HEX HEX ;
fragment EXPONENT : [eE] [+-]? [0-9]+ ;

// ---- words ---------------------------------------------------------------------
DOTWORD        : '.' WORDCHAR+ PART* ;                     // .b32 .v4 .maxntid .shared::cta
REG            : '%' WORDCHAR+ ( '.' WORDCHAR+ )? ;        // %r1 %tid.x %r2.b0
OPCODE         : NAME ( '.' WORDCHAR+ | '.const' BANK | PART )+ ;   // ld.global.L2::128B.b32
ID             : NAME ;
fragment NAME     : [a-zA-Z_$] WORDCHAR* ;
fragment WORDCHAR : [a-zA-Z0-9_$] ;
fragment PART     : '::' WORDCHAR+ | '::' [0-9]+ ':' [0-9]+ ;       // the latter in .sp::2:4
fragment BANK     : '[' [0-9]+ ']' ;                       // .const[3], PTX 1.x and 2.x

// ---- punctuation ---------------------------------------------------------------
LBRACE   : '{' ;
RBRACE   : '}' ;
LPAREN   : '(' ;
RPAREN   : ')' ;
LBRACK   : '[' ;
RBRACK   : ']' ;
LESS     : '<' ;
GREATER  : '>' ;
SEMI     : ';' ;
COMMA    : ',' ;
COLON    : ':' ;
AT       : '@' ;
ASSIGN   : '=' ;
BANG     : '!' ;
PLUS     : '+' ;
MINUS    : '-' ;
PIPE     : '|' ;
TILDE    : '~' ;
STAR     : '*' ;
QUESTION : '?' ;
OPERATOR : '/' | '%' | '<<' | '>>' | '&' | '^' | '&&' | '||' | '==' | '!=' | '<=' | '>=' ;

// ---- between the words ---------------------------------------------------------
// NUL bytes at the end of a file are its end; whoever calls the lexer cuts them off.
WHITESPACE     : [ \t\r\n\f\u001A] -> skip ;
LINE_COMMENT   : '//' ~[\n]* -> skip ;
BLOCK_COMMENT  : '/*' .*? '*/' -> skip ;
LINE_MARKER    : '#' [ \t]* [0-9] ~[\n]* -> skip ;         // # 12 "file.cu", of a preprocessor
