/* The syntax of PTX, up to ISA 9.5, and what older releases wrote differently.
 *
 * Every decision is LL(1): the generated parser never predicts.  Opcodes, types and modifiers are
 * generic words; which of them go together is the business of the instruction table.  The grammar
 * takes a little more than ptxas does, never less. */
parser grammar PtxParser;
options { tokenVocab = PtxLexer; }

// A .func prototype of PTX 1.x and 2.x has no semicolon.  So that a .pragma behind it is no open
// question (it belongs to the prototype), what may stand among the attributes of a function stands
// behind the other items of the module.
ptxModule : between* moduleItem* EOF ;

moduleItem
    : VERSION FLOAT between*
    | TARGET name ( COMMA name )* between*
    | ADDRESS_SIZE INT between*
    | LINKAGE* ( variable between* | entry between* | function )
    | ALIAS name COMMA name SEMI between*
    | fileDirective between*
    | locDirective between*
    | section between*
    | sourceSection between*
    ;
between     : pragma | unknownDirective ;

// ---- functions ------------------------------------------------------------------
entry       : ENTRY name params? functionAttribute* ( block | SEMI ) ;
function    : FUNC attribute* params? name params? functionAttribute*
              ( ( block | SEMI ) between* )? ;
params      : LPAREN ( param ( COMMA param )* )? RPAREN ;
param       : qualifier+ name dimension* ;
functionAttribute
    : DOTWORD ( attributeValue ( COMMA attributeValue )* )?   // .maxntid 128, 1, 1
    | attribute
    | pragma
    | OPAQUE
    ;
attributeValue : INT | STRING | name ;

// ---- variables and registers -----------------------------------------------------
variable    : SPACE qualifier* declarator ( COMMA declarator )* SEMI ;
qualifier   : DOTWORD | SPACE | ALIGN INT | attribute ;    // .b32 .v4 .ptr .align 8
attribute   : ATTRIBUTE LPAREN attributeItem ( COMMA attributeItem )* RPAREN ;
attributeItem : DOTWORD ( LPAREN attributeValue ( COMMA attributeValue )* RPAREN )? ;
declarator  : name ( LESS INT GREATER )? dimension* ( ASSIGN initializer )? ;
dimension   : LBRACK expression? RBRACK ;
initializer
    : LBRACE ( initializer ( COMMA initializer )* )? RBRACE
    | expression ( ASSIGN expression )?                    // filter_mode = nearest
    ;

// ---- statements -------------------------------------------------------------------
block       : LBRACE statement* RBRACE ;

statement
    : OPCODE modifier* operands? SEMI                      // add.s32 %r1, %r2, 3;
    | ID ( COLON                                           // label:
         | modifier* operands? SEMI )                      // ret;
    | REG COLON                                            // %label:
    | guard ( OPCODE | ID ) modifier* operands? SEMI       // @!%p1 bra L;
    | variable
    | block
    | BRANCHTARGETS target ( COMMA target )* SEMI
    | CALLTARGETS target ( COMMA target )* SEMI
    | CALLPROTOTYPE params? name params? functionAttribute* SEMI
    | pragma
    | fileDirective
    | locDirective
    | section
    | unknownDirective
    ;
guard       : AT BANG? name ;
modifier    : DOTWORD | SPACE | LINKAGE | ALIAS ;          // ld .weak .global .u32 x, [y];
target      : name ( LESS INT GREATER )? ;                 // L<3> is L0, L1, L2

// ---- operands and constant expressions ----------------------------------------------
operands    : operand ( COMMA operand )* ;
operand     : address | vector ( PIPE term )? | expression ;
address     : LBRACK operands RBRACK ;                     // [%rd1+8]  [map, {%r1, %r2}]
vector      : LBRACE operands? RBRACE ;                    // {%f1, %f2, _}
expression  : term ( binaryOperator term | QUESTION expression COLON term )* ;
term        : unaryOperator*
    ( ( ID | REG | OPCODE )                                // a name
      ( LPAREN expression RPAREN                           // generic(symbol)
      | LBRACK expression RBRACK )?                        // array[3]
    | INT ( LPAREN expression RPAREN )?                    // 0xff00(symbol)
    | FLOAT
    | LPAREN ( DOTWORD RPAREN term                         // (.s64) x
             | operands? RPAREN )                          // (5)  (result0, result1)
    )
    ;
binaryOperator : PLUS | MINUS | PIPE | STAR | LESS | GREATER | OPERATOR ;   // p|q is a pair
unaryOperator  : PLUS | MINUS | BANG | TILDE ;
name        : ID | REG | OPCODE ;                          // OPCODE: vector.x

// ---- pragmas and debug information ----------------------------------------------------
pragma        : PRAGMA STRING ( COMMA STRING )* SEMI ;
fileDirective : FILE INT STRING ( COMMA INT COMMA INT )? ;
locDirective
    : LOC INT INT INT ( COMMA name ( name ( PLUS INT )?    // function_name L+4
                                   | INT INT INT ) )*      // inlined_at 1 20 5
    | LOC_INTERMEDIATE INT INT INT
    ;
section       : SECTION DOTWORD LBRACE sectionItem* RBRACE ;
sectionItem
    : DOTWORD sectionValue ( COMMA sectionValue )*         // .b8 1, 2, 3
    | name COLON
    ;
sectionValue  : sectionTerm ( ( PLUS | MINUS ) sectionTerm )* ;   // .debug_loc+131  end-begin
sectionTerm   : MINUS? INT | FLOAT | DOTWORD | name ;
sourceSection : SOURCE_SECTION LBRACE codeBlock* RBRACE ;
codeBlock     : DOTWORD LBRACE codeItem* RBRACE ;
codeItem      : DOTWORD COLON ( STRING | INT | name )      // .ir_name: "MLIR"
              | SOURCE_TEXT
              ;
unknownDirective : OPAQUE | DWARF ;
